"""Names of files of rooms."""

from hypothesis import given
from hypothesis import strategies as st

from retick.cli.serve.room_files import file_stem


@given(st.text())
def test_any_name_of_a_room_is_a_part_of_a_file_name(room: str) -> None:
    assert all(letter == "-" or (letter.isascii() and letter.isalnum()) for letter in file_stem(room))
