"""Four words that two people compare aloud, to know that nobody sits between them.

A word stands for one byte of a slow hash of the handshake hash. Slow, because who sits in between may search for
messages that give both victims the same words: see docs/formats/link.md. The list never changes.
"""

from retick.link.sealing.primitives import scrypt

__all__ = ["WORDS", "words_of"]

COUNT = 4
"""Words of a code: 32 bits."""

_LIST = """
acorn actor album angel ankle apple apron arrow autumn badge baker banana basket beach bean bear
bell berry bicycle bird biscuit blanket boat bone bottle bread brick bridge broom brush bucket butter
button cable cactus camel candle canoe carpet carrot castle cat cave chain chair cheese cherry chess
chicken circle clock cloud clover coat coffee comet copper corn cotton cousin cow crab cream cricket
crown cup curtain daisy dance desert desk diamond dinner doctor dog dolphin donkey door dragon drum
duck eagle earth egg elbow elephant engine evening farm feather fence fiddle finger fish flag flower
flute forest fork fox frog garden garlic ghost giant ginger giraffe glass glove goat gold grape
grass guitar hammer harbor harp hat hazel hill honey hook horse hotel house ice iron island
ivory jacket jelly jewel judge jungle kettle key king kitchen kite knee ladder lake lamp lawn
leaf lemon letter lion lizard lobster magnet mango maple marble market mask meadow melon milk mirror
monkey moon morning mother mountain mouse museum mushroom nail needle nest night north nose nurse ocean
office olive onion orange orchard otter oven owl oyster paddle page paint palace panda paper parrot
peach pearl pencil pepper piano picnic pillow pilot pine pirate planet plum pocket pond potato prince
pumpkin puppet purple puzzle queen rabbit radio rain raven ribbon rice river robin rocket roof rope
rose saddle sail salmon salt school scissors shadow sheep shirt shoe silver sister snow soap soldier
soup spider spoon spring square star storm sugar summer swan table tiger tomato tower train tree
"""
WORDS = tuple(_LIST.split())
"""In the order of the alphabet; the byte is the index."""


def words_of(handshake_hash: bytes) -> tuple[str, ...]:
    """The code of a connection; takes about 50 ms."""
    return tuple(WORDS[byte] for byte in scrypt(handshake_hash, b"retick words", COUNT))
