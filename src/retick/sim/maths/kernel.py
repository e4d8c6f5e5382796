# retick: floats -- only exactly rounded operations in a fixed order; see docs/concepts/floats.md
"""Every float function of retick.sim.maths, and its vector (a compiled kernel): the same bits on every machine.

Contents: what the functions accept; tables; rounding errors; square root and length; sine, cosine and tangent; arc
tangent, arc sine and arc cosine; exponential function, logarithms and powers; a vector in the plane.

They are made of what IEEE 754 rounds exactly: sums, products, quotients and square roots.
"""

from collections.abc import Iterator
from typing import Any, NoReturn

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.libc.math import copysign, floor, frexp, ldexp
    from cython.cimports.libc.math import sqrt as exact_sqrt
else:
    from math import copysign, floor, frexp, ldexp
    from math import sqrt as exact_sqrt

# What the functions accept, and how they refuse the rest: in the same words compiled and uncompiled.
#
# A NaN is never accepted and never returned: its sign and its other bits differ between processors, so it must not
# get into a state.


def as_float(value: Any, function: str) -> float:
    """A real number as a float; raises TypeError for anything else."""
    if isinstance(value, (int, float)):
        return float(value)
    raise TypeError(f"{function}() takes a float or an int, not {value!r}")


def refuse(function: str, *values: float) -> NoReturn:
    """Raise a ValueError: the function has no value for this argument."""
    raise ValueError(f"{function}({', '.join(map(repr, values))}) has no value")


def overflow(function: str, *values: float) -> NoReturn:
    """Raise an OverflowError: the result is too large for a float."""
    raise OverflowError(f"{function}({', '.join(map(repr, values))}) is too large for a float")


# Tables: values of the functions at a few points, each as a high and a low part.
#
# The tests compute every number again, in decimal.

ANGLES_HIGH = (
    0.0, 0.06241880999595735, 0.12435499454676144, 0.18534794999569476,
    0.24497866312686414, 0.3028848683749714, 0.35877067027057225, 0.4124104415973873,
    0.4636476090008061, 0.5123894603107377, 0.5585993153435624, 0.6022873461349642,
    0.6435011087932844, 0.6823165548747481, 0.7188299996216245, 0.7531512809621944,
    0.7853981633974483,
)  # fmt: skip
"""The angle whose tangent is i / 16, from 0 to 1."""

ANGLES_LOW = (
    0.0, -1.5490756308295046e-18, -3.1253241424539383e-18, 4.180692268843079e-18,
    1.0698755618734451e-17, -1.1010827903001369e-17, -2.4623815582638635e-17, -1.587652227770689e-17,
    2.2698777452961687e-17, -2.5462781472855804e-17, -5.4556305485916264e-18, 2.950430737228402e-17,
    1.5834785051444286e-17, 6.943223671560008e-18, -2.1478388444456983e-17, -2.4256934659182068e-17,
    3.061616997868383e-17,
)  # fmt: skip
"""The low parts of the angles in ANGLES_HIGH."""

POWERS_HIGH = (
    1.0, 1.0108892860517005, 1.0218971486541166, 1.0330248790212284,
    1.0442737824274138, 1.0556451783605572, 1.0671404006768237, 1.0787607977571199,
    1.0905077326652577, 1.102382583307841, 1.1143867425958924, 1.1265216186082418,
    1.1387886347566916, 1.1511892299529827, 1.1637248587775775, 1.1763969916502812,
    1.189207115002721, 1.202156731452703, 1.215247359980469, 1.22848053610687,
    1.241857812073484, 1.255380757024691, 1.2690509571917332, 1.2828700160787783,
    1.2968395546510096, 1.3109612115247644, 1.3252366431597413, 1.339667524053303,
    1.3542555469368927, 1.3690024229745905, 1.383909881963832, 1.3989796725383112,
    1.4142135623730951, 1.42961333839197, 1.4451808069770467, 1.460917794180647,
    1.4768261459394993, 1.4929077282912648, 1.5091644275934228, 1.5255981507445384,
    1.5422108254079407, 1.559004400237837, 1.5759808451078865, 1.593142151342267,
    1.6104903319492543, 1.6280274218573478, 1.645755478153965, 1.6636765803267364,
    1.681792830507429, 1.7001063537185235, 1.718619298122478, 1.7373338352737062,
    1.7562521603732995, 1.7753764925265212, 1.7947090750031072, 1.8142521755003989,
    1.8340080864093424, 1.8539791250833855, 1.8741676341103, 1.8945759815869656,
    1.9152065613971474, 1.9360617934922943, 1.9571441241754002, 1.978456026387951,
)  # fmt: skip
"""The high parts of 2 ** (j / 64)."""

POWERS_LOW = (
    0.0, -1.5234778603368577e-17, 5.109225028973444e-17, 7.600838874027088e-18,
    8.551889705537965e-17, 1.759325738772092e-18, -7.899853966841582e-17, -6.656660436056593e-17,
    -3.046782079812471e-17, 5.2660368715706944e-17, 1.0410278456845571e-16, 5.165856758795457e-17,
    8.912812676025408e-17, 3.250710218863827e-17, 3.8292048369240935e-17, 5.554203254218079e-17,
    3.982015231465646e-17, 6.644981499252301e-17, -7.712630692681488e-17, -1.89878163130253e-17,
    4.658027591836937e-17, -6.7113898212968784e-18, 2.667932131342186e-18, 1.713594918243561e-17,
    2.5382502794888315e-17, -7.181536135519454e-17, -2.8587312100388614e-17, 8.927282594831732e-17,
    7.70094837980299e-17, 9.593797919118849e-17, -6.770511658794786e-17, -9.614213209051323e-17,
    -9.667293313452913e-17, -1.2031642489053655e-17, -3.0237581349939873e-17, -5.600377186075216e-17,
    -3.483994556892796e-17, 1.4192920154284036e-17, -1.016455327754295e-16, -1.1024941712342561e-16,
    7.949834809697621e-17, 3.7812070533575275e-17, -1.0136916471278304e-17, -1.0094406542311964e-16,
    2.4707192569797888e-17, -6.712955084707084e-17, -1.0125679913674773e-16, 5.8909926967131e-17,
    8.199010020581497e-17, -8.0237193703977e-18, -1.851380418263111e-17, 3.164389299292957e-17,
    2.960140695448873e-17, 6.429731796556572e-17, 1.8227458427912087e-17, -9.969531538920349e-17,
    3.283107224245627e-17, 9.761887490727594e-17, -6.122763413004143e-17, 3.4034035352165297e-17,
    -1.0619946056195963e-16, 1.0332385960676326e-16, 8.960767791036668e-17, 4.0388753109278167e-17,
)  # fmt: skip
"""The low parts of the powers in POWERS_HIGH."""

RECIPROCALS = (
    1.421875, 1.40625, 1.390625, 1.376953125, 1.361328125, 1.34765625, 1.333984375, 1.3203125,
    1.306640625, 1.29296875, 1.279296875, 1.267578125, 1.255859375, 1.2421875, 1.23046875, 1.21875,
    1.20703125, 1.1953125, 1.185546875, 1.173828125, 1.1640625, 1.15234375, 1.142578125, 1.1328125,
    1.123046875, 1.11328125, 1.103515625, 1.09375, 1.083984375, 1.076171875, 1.06640625, 1.05859375,
    1.048828125, 1.041015625, 1.033203125, 1.0234375, 1.015625, 1.0078125, 1.0, 0.9921875,
    0.984375, 0.9765625, 0.96875, 0.962890625, 0.955078125, 0.947265625, 0.94140625, 0.93359375,
    0.927734375, 0.919921875, 0.9140625, 0.908203125, 0.90234375, 0.89453125, 0.888671875, 0.8828125,
    0.876953125, 0.87109375, 0.865234375, 0.859375, 0.853515625, 0.84765625, 0.841796875, 0.8359375,
    0.83203125, 0.826171875, 0.8203125, 0.814453125, 0.810546875, 0.8046875, 0.80078125, 0.794921875,
    0.791015625, 0.78515625, 0.78125, 0.775390625, 0.771484375, 0.765625, 0.76171875, 0.7578125,
    0.75390625, 0.748046875, 0.744140625, 0.740234375, 0.736328125, 0.73046875, 0.7265625, 0.72265625,
    0.71875, 0.71484375, 0.7109375, 0.70703125, 0.703125,
)  # fmt: skip
"""Short numbers near 128 / i, for i from 90 to 182; exactly 1 for 128."""

LOGS_HIGH = (
    -0.3519764231571782, -0.3409265869705932, -0.329753286372468, -0.31987317777276086,
    -0.3084607857210161, -0.2983669725517973, -0.28817023453128227, -0.2778684510034563,
    -0.26745943508872067, -0.2569409308975004, -0.24631061059574413, -0.23710809166458222,
    -0.2278200991981116, -0.21687393830061436, -0.2073951943460706, -0.19782574332991987,
    -0.188163832418183, -0.1784076574728183, -0.17020416601999047, -0.1602703094956998,
    -0.15191604202584197, -0.14179791186025734, -0.1332872221923487, -0.12470347850095724,
    -0.11604541575784265, -0.10731173578908805, -0.09850110610693316, -0.08961215868968714,
    -0.08064348870692672, -0.0734101841134067, -0.06429435070539725, -0.056941376400138424,
    -0.047673469469356904, -0.04019679912633675, -0.032663806818791594, -0.02316705928153438,
    -0.015504186535965254, -0.007782140442054949, 0.0, 0.007843177461025893,
    0.015748356968139168, 0.023716526617316044, 0.0317486983145803, 0.03781545099681768,
    0.045962135564635756, 0.054175734102024586, 0.06038051098890748, 0.06871389254805181,
    0.07500982100486657, 0.08346653102309004, 0.08985632912186105, 0.09628721945215148,
    0.10275973395776894, 0.11145544092532282, 0.11802720608855737, 0.1246424452072766,
    0.1313017372972535, 0.13800567301944372, 0.14475485499437216, 0.15154989812720093,
    0.15839142994391764, 0.16528009093910292, 0.17221653493576, 0.179201429457711,
    0.18388527877013736, 0.1909524459932298, 0.1980699137620938, 0.20523840324070633,
    0.21004610480880948, 0.2173012756899814, 0.2221674653411543, 0.2295114395969128,
    0.23443755793296864, 0.24187253642048673, 0.24686007793152578, 0.2543883443523174,
    0.2594388601383859, 0.26706278524904525, 0.27217788591581565, 0.27731928541623435,
    0.2824872555746769, 0.2902896358588618, 0.2955252499128068, 0.30078841995708144,
    0.30607943759149703, 0.31406882762497584, 0.3194307707663612, 0.32482161940123766,
    0.33024168687057687, 0.33569129163814154, 0.34117075740276714, 0.3466804132137367,
    0.3522205935893521,
)  # fmt: skip
"""The high parts of minus the natural logarithm of each of RECIPROCALS."""

LOGS_LOW = (
    1.2953893030191963e-17, -1.7467136443544747e-17, -2.122020616196946e-18, -4.226777461860662e-18,
    -4.0879808229846266e-18, 1.1440869858035824e-18, -1.3116746400885017e-17, 9.16018294909263e-19,
    -2.016149769976068e-19, -6.30788074376329e-18, -1.4011576532971364e-19, 5.717872604233848e-18,
    6.075458515600861e-18, -4.551026193234283e-18, 6.623981508424082e-18, -1.2821194372980142e-17,
    4.497983271338944e-18, 1.2432553788701131e-17, -5.824871705125833e-18, -8.056249348852825e-18,
    -6.4838631244022194e-18, -1.3587228662372945e-17, -5.4138932268586174e-18, 4.6522609636496624e-18,
    -6.523568250648718e-18, -4.480328406815626e-19, 3.2823579183838276e-18, 5.4268129336647135e-18,
    -8.3511763690095115e-19, 1.583444187336235e-18, -2.607864228825769e-18, -4.849020418096643e-19,
    7.870678899236812e-19, -3.2701228202402602e-18, -3.2137479899873427e-18, 1.1769544932063305e-18,
    3.278321022892429e-19, 1.2819179123343845e-20, 0.0, 2.764708154124904e-19,
    1.0021578630528974e-18, -1.5774243488668215e-18, 3.0382263084680858e-18, -1.4251832364060063e-19,
    3.29282833444454e-18, 1.6459865414896682e-18, -2.1569637373409678e-18, -2.5298812881248404e-18,
    5.762099730680593e-18, -4.417797553075552e-18, -6.273760163689594e-19, -3.4322603532248472e-18,
    -4.707630866560681e-18, 5.685957919022839e-18, 3.6022683425363865e-18, -5.808912678940971e-18,
    -9.789371668371751e-18, -3.082753002960249e-18, -9.638054543649367e-18, 5.1669593684615594e-18,
    -4.805867816472488e-18, -6.262313551919987e-19, -4.7047460454344384e-18, -1.0785017454858423e-17,
    6.716094199344591e-18, 1.2753558105240179e-17, 3.742843482461439e-18, 6.493380582797194e-18,
    1.1583669345998444e-17, 1.6168452453763015e-18, -1.0797202916767509e-17, -1.2166730011885714e-17,
    6.9205002696776166e-18, -3.5869293176775316e-18, 1.361743371748368e-17, -1.428296341374898e-17,
    8.775568434888777e-18, -7.32891532732017e-18, 1.9460544362807653e-17, -7.44528405583513e-18,
    1.3652325538490778e-17, -1.055555326711204e-17, 3.2722484018602266e-19, -6.252253064633693e-18,
    -6.263554224803463e-18, 7.311073985078525e-18, 1.354256857264811e-18, -3.7162556628635935e-18,
    -1.0828321637483858e-17, -7.183773020381283e-18, -1.9366790062602867e-17, 1.2904632283500345e-17,
    5.7233316949182485e-18,
)  # fmt: skip
"""The low parts of the logarithms in LOGS_HIGH."""

TWO_OVER_PI = (
    0, 0, 683565275, 618938706, 670080351, 301282525, 808900773, 429114425, 17299781,
    598466235, 827878857, 115581988, 927694873, 154069513, 879003455, 568242635, 78028027, 679622133,
    196006177, 244958978, 449936889, 20550102, 241226958, 524929093, 1043265508, 674963448, 637532033,
    427884274, 1011232104, 174923629, 228570057, 1018207092, 1025047962, 509602349, 491384497, 1052663575,
    754195687, 931811986, 983236311, 991033557, 874600460, 809958523,
)  # fmt: skip
"""The digits of 2 / pi to the base 2 ** 30: two zeros before the point, then 1200 bits."""


# Rounding errors of single operations, exactly: sums, products and roots as pairs of a high and a low part.
#
# ``high + low`` has twice the digits of a double. The low part is found with + - * alone (Knuth for sums, Dekker for
# products), never with a fused multiply-add, which not every processor has.


@cython.ccall
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def sum_error(a: cython.double, b: cython.double, total: cython.double) -> cython.double:
    """The exact rounding error of ``total``, the rounded ``a + b``."""
    grown: cython.double = total - a
    return (a - (total - grown)) + (b - grown)


@cython.ccall
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def product_error(a: cython.double, b: cython.double, product: cython.double) -> cython.double:
    """The exact rounding error of ``product``, the rounded ``a * b``. Neither factor is above 2**995."""
    a_high: cython.double = 134217729.0 * a  # 2**27 + 1 cuts a double into two halves of 26 bits
    b_high: cython.double = 134217729.0 * b
    a_high = a_high - (a_high - a)
    b_high = b_high - (b_high - b)
    a_low: cython.double = a - a_high
    b_low: cython.double = b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@cython.ccall
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def root_error(square: cython.double, square_low: cython.double, root: cython.double) -> cython.double:
    """The rounding error of ``root``, the rounded square root of ``square``, against the exact pair's root."""
    again: cython.double = root * root
    return (((square - again) - product_error(root, root, again)) + square_low) / (root + root)


# Square root and length, and two functions with a single rounding.


@cython.cfunc
@cython.exceptval(check=False)
def hypot_of(x: cython.double, y: cython.double) -> cython.double:
    """The length of (x, y): sums the squares as a pair and takes the root; neither argument is a NaN."""
    a: cython.double = abs(x)
    b: cython.double = abs(y)
    scale: cython.double = 1.0
    if a > b:
        a, b = b, a
    if b > 1.7976931348623157e308 or a < b * 3.725290298461914e-09:  # 2**-28: a changes nothing
        return b
    if b > 1e150:
        scale = 4.149515568880993e180
    elif b < 1e-130:
        scale = 2.409919865102884e-181
    if scale != 1.0:
        a = a / scale
        b = b / scale
    long_square: cython.double = b * b
    short_square: cython.double = a * a
    square: cython.double = long_square + short_square
    low: cython.double = sum_error(long_square, short_square, square) + (
        product_error(b, b, long_square) + product_error(a, a, short_square)
    )
    root: cython.double = exact_sqrt(square) if square > 0.0 else 0.0
    if root > 0.0:
        root = root + root_error(square, low, root)
    return root * scale


def sqrt(x: Any, /) -> float:
    """The square root, exactly rounded."""
    value: cython.double = x if type(x) is float else as_float(x, "sqrt")
    if not value >= 0.0:
        refuse("sqrt", value)
    return exact_sqrt(value)


def hypot(x: Any, y: Any, /) -> float:
    """The length of the vector (x, y)."""
    a: cython.double = x if type(x) is float else as_float(x, "hypot")
    b: cython.double = y if type(y) is float else as_float(y, "hypot")
    if a != a or b != b:
        refuse("hypot", a, b)
    result: cython.double = hypot_of(a, b)
    if result > 1.7976931348623157e308 and a - a == 0.0 and b - b == 0.0:
        overflow("hypot", a, b)
    return result


def rounded_by_sum(x: Any, /) -> float:
    """Round x to the nearest integer by adding and subtracting 1.5 * 2**52; x itself where a compiler reorders sums."""
    value: cython.double = x
    return (value + 6755399441055744.0) - 6755399441055744.0


def summed_product(a: Any, b: Any, c: Any, /) -> float:
    """a * b + c with two roundings, as every kernel here needs; the check at import tells whether there are two."""
    first: cython.double = a
    second: cython.double = b
    third: cython.double = c
    return first * second + third


# Sine, cosine and tangent.
#
# Theory of operation. The argument is reduced to a quarter of a turn: x = quarter * pi/2 + high + low, with the rest as
# a pair, so that it is precise relatively even beside a multiple of pi/2. Below 2**20 quarters, pi/2 is subtracted in
# four parts of 33 bits, whose products with the quarter are exact. Beyond, x * 2/pi is computed in integers, from
# the bits of 2/pi that matter (the method of Payne and Hanek). On the rest, both functions are their Taylor series, up
# to the term that no longer changes a binary64. Only + - * / are used, in a fixed order.

if cython.compiled:
    WORDS = cython.declare(cython.int[42], TWO_OVER_PI)
else:
    WORDS = TWO_OVER_PI


@cython.cfunc
@cython.exceptval(check=False)
def _reduce_large(x: cython.double) -> tuple[cython.longlong, cython.double, cython.double]:
    """Quarter (modulo 4), high and low part of the rest, for 2**20 <= x."""
    exponent: cython.int = 0
    mantissa: cython.double
    if cython.compiled:
        mantissa = frexp(x, cython.address(exponent))
    else:
        mantissa, exponent = frexp(x)
    whole: cython.longlong
    whole = cython.cast(cython.longlong, ldexp(mantissa, 53)) if cython.compiled else int(ldexp(mantissa, 53))
    upper: cython.longlong = whole >> 30
    lower: cython.longlong = whole & 0x3FFFFFFF
    # x is whole * 2**(exponent - 53). The 180 bits of 2/pi from this bit of the table on give x * 2/pi modulo 4,
    # as 2 bits before the point and 178 bits after it. Those before them add multiples of 4.
    first: cython.longlong = exponent - 53 + 58
    at: cython.longlong = first // 30
    shift: cython.longlong = first % 30
    carry: cython.longlong = 0
    before: cython.longlong = 0
    a: cython.longlong = 0
    b: cython.longlong = 0
    c: cython.longlong = 0
    d: cython.longlong = 0
    e: cython.longlong = 0
    word: cython.longlong
    low_product: cython.longlong
    product: cython.longlong
    i: cython.longlong
    for i in range(5, -1, -1):
        word = ((WORDS[at + i] << shift) | (WORDS[at + i + 1] >> (30 - shift))) & 0x3FFFFFFF
        low_product = lower * word + carry
        product = upper * before + (low_product & 0x3FFFFFFF)
        carry = (low_product >> 30) + (product >> 30)
        before = word
        e = d
        d = c
        c = b
        b = a
        a = product & 0x3FFFFFFF
    quarter: cython.longlong = a >> 28
    a = a & 0xFFFFFFF
    if a >= 0x8000000:  # more than half: the next quarter, and a negative rest
        a = a - 0x10000000
        quarter = quarter + 1
    # Each number has at most 30 bits, so it is exact as a double, and so is its product with a power of two.
    total: cython.double = a * 3.725290298461914e-09
    part: cython.double = b * 3.469446951953614e-18
    second: cython.double = total + part
    low: cython.double = sum_error(total, part, second)
    part = c * 3.2311742677852644e-27
    third: cython.double = second + part
    low = low + sum_error(second, part, third)
    part = d * 3.009265538105056e-36
    fourth: cython.double = third + part
    low = low + sum_error(third, part, fourth) + e * 2.802596928649634e-45
    high: cython.double = fourth * 1.5707963267948966
    low = product_error(fourth, 1.5707963267948966, high) + (fourth * 6.123233995736766e-17 + low * 1.5707963267948966)
    return quarter & 3, high, low


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _reduce(x: cython.double) -> tuple[cython.longlong, cython.double, cython.double]:
    """Quarter (modulo 4), high and low part of the rest, for x >= 0."""
    if x <= 0.7853981633974483:
        return 0, x, 0.0
    if x >= 1647099.0:
        return _reduce_large(x)
    # Adding 1.5 * 2**52 rounds to a whole number.
    count: cython.double = (x * 0.6366197723675814 + 6755399441055744.0) - 6755399441055744.0
    first: cython.double = x - count * 1.5707963267341256
    part: cython.double = -count * 6.077100506303966e-11
    second: cython.double = first + part
    low: cython.double = sum_error(first, part, second)
    part = -count * 2.0222662487111665e-21
    third: cython.double = second + part
    low = low + sum_error(second, part, third) - count * 8.4784276603689e-32
    high: cython.double = third + low
    low = low - (high - third)
    quarter: cython.longlong
    quarter = cython.cast(cython.longlong, count) if cython.compiled else int(count)
    return quarter & 3, high, low


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _sine(high: cython.double, low: cython.double) -> cython.double:
    """The sine of the rest, without its first term, which is ``high``."""
    s: cython.double = high * high
    series: cython.double = 1.0 / 120.0 - s * (
        1.0 / 5040.0 - s * (
            1.0 / 362880.0 - s * (
                1.0 / 39916800.0 - s * (
                    1.0 / 6227020800.0 - s * (1.0 / 1307674368000.0 - s * (1.0 / 355687428096000.0))
                )
            )
        )
    )  # fmt: skip
    return low * (1.0 - 0.5 * s) + high * s * (s * series - 1.0 / 6.0)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _cosine(high: cython.double, low: cython.double) -> tuple[cython.double, cython.double]:
    """The cosine of the rest, as a pair."""
    s: cython.double = high * high
    series: cython.double = 1.0 / 24.0 - s * (
        1.0 / 720.0 - s * (
            1.0 / 40320.0 - s * (
                1.0 / 3628800.0 - s * (
                    1.0 / 479001600.0 - s * (
                        1.0 / 87178291200.0 - s * (1.0 / 20922789888000.0 - s * (1.0 / 6402373705728000.0))
                    )
                )
            )
        )
    )  # fmt: skip
    half: cython.double = 0.5 * s
    first: cython.double = 1.0 - half
    left: cython.double = ((1.0 - first) - half) - 0.5 * product_error(high, high, s)
    return first, left + (s * s * series - high * low)


@cython.cfunc
@cython.exceptval(check=False)
def sin_of(x: cython.double) -> cython.double:
    """The sine of a finite x."""
    size: cython.double = abs(x)
    result: cython.double
    quarter: cython.longlong
    high: cython.double
    low: cython.double
    if size < 7.450580596923828e-09:
        return x
    quarter, high, low = _reduce(size)
    if quarter & 1:
        high, low = _cosine(high, low)
        result = high + low
    else:
        result = high + _sine(high, low)
    return -result if (quarter >= 2) != (x < 0.0) else result


@cython.cfunc
@cython.exceptval(check=False)
def cos_of(x: cython.double) -> cython.double:
    """The cosine of a finite x."""
    result: cython.double
    quarter: cython.longlong
    high: cython.double
    low: cython.double
    quarter, high, low = _reduce(abs(x))
    if quarter & 1:
        result = -(high + _sine(high, low))
    else:
        high, low = _cosine(high, low)
        result = high + low
    return -result if quarter >= 2 else result


@cython.cfunc
@cython.exceptval(check=False)
def tan_of(x: cython.double) -> cython.double:
    """The tangent of a finite x: sine and cosine as pairs, divided."""
    size: cython.double = abs(x)
    quarter: cython.longlong
    high: cython.double
    low: cython.double
    if size < 7.450580596923828e-09:
        return x
    quarter, high, low = _reduce(size)
    above: cython.double = high
    above_low: cython.double = _sine(high, low)
    below: cython.double
    below_low: cython.double
    below, below_low = _cosine(high, low)
    if quarter & 1:
        above, above_low, below, below_low = -below, -below_low, above, above_low
    result: cython.double = above / below
    again: cython.double = result * below
    rest: cython.double = (above - again) - product_error(result, below, again)
    result = result + (rest + (above_low - result * below_low)) / (below + below_low)
    return -result if x < 0.0 else result


def sin(x: Any, /) -> float:
    """The sine of an angle in radians."""
    value: cython.double = x if type(x) is float else as_float(x, "sin")
    if not -1.7976931348623157e308 <= value <= 1.7976931348623157e308:
        refuse("sin", value)
    return sin_of(value)


def cos(x: Any, /) -> float:
    """The cosine of an angle in radians."""
    value: cython.double = x if type(x) is float else as_float(x, "cos")
    if not -1.7976931348623157e308 <= value <= 1.7976931348623157e308:
        refuse("cos", value)
    return cos_of(value)


def tan(x: Any, /) -> float:
    """The tangent of an angle in radians."""
    value: cython.double = x if type(x) is float else as_float(x, "tan")
    if not -1.7976931348623157e308 <= value <= 1.7976931348623157e308:
        refuse("tan", value)
    return tan_of(value)


# Arc tangent, arc sine and arc cosine.
#
# Theory of operation. All four are the angle of a point (b, a) in the first half of the first quadrant, a <= b, whose
# coordinates are pairs. With c the nearest sixteenth to a / b, the angle is that of c, from a table, and the angle
# whose tangent is (a - c b) / (b + c a), which is at most 1/32: there the series ends early. What is left is to mirror
# the result into the right eighth of the turn, from pi/2 or pi as a pair. Only + - * / and square root are used, in a
# fixed order.

if cython.compiled:
    HIGH = cython.declare(cython.double[17], ANGLES_HIGH)
    LOW = cython.declare(cython.double[17], ANGLES_LOW)
else:
    HIGH = ANGLES_HIGH
    LOW = ANGLES_LOW


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _angle(
    a: cython.double, a_low: cython.double, b: cython.double, b_low: cython.double
) -> tuple[cython.double, cython.double]:
    """The angle of the point (b, a), as a pair, for 0 <= a <= b and b > 0."""
    nearest: cython.longlong
    nearest = cython.cast(cython.longlong, 16.0 * a / b + 0.5) if cython.compiled else int(16.0 * a / b + 0.5)
    c: cython.double = nearest * 0.0625
    product: cython.double = c * b
    above: cython.double = a - product
    above_low: cython.double = sum_error(a, -product, above) - product_error(c, b, product) + (a_low - c * b_low)
    product = c * a
    below: cython.double = b + product
    below_low: cython.double = sum_error(b, product, below) + product_error(c, a, product) + (b_low + c * a_low)
    t: cython.double = above / below
    again: cython.double = t * below
    t_low: cython.double = (((above - again) - product_error(t, below, again)) + (above_low - t * below_low)) / below
    s: cython.double = t * t
    series: cython.double = 1.0 / 3.0 - s * (
        1.0 / 5.0 - s * (1.0 / 7.0 - s * (1.0 / 9.0 - s * (1.0 / 11.0 - s * (1.0 / 13.0))))
    )
    high: cython.double = HIGH[nearest] + t
    low: cython.double = sum_error(HIGH[nearest], t, high) + (LOW[nearest] + (t_low - t * s * series))
    return high, low


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _mirrored(
    whole: cython.double, whole_low: cython.double, high: cython.double, low: cython.double
) -> tuple[cython.double, cython.double]:
    """``whole`` minus an angle, as pairs."""
    difference: cython.double = whole - high
    return difference, sum_error(whole, -high, difference) + (whole_low - low)


@cython.cfunc
@cython.exceptval(check=False)
def atan2_of(y: cython.double, x: cython.double) -> cython.double:
    """The angle of the point (x, y); neither argument is a NaN."""
    a: cython.double = abs(y)
    b: cython.double = abs(x)
    backward: cython.bint = copysign(1.0, x) < 0.0  # the sign of a zero counts
    if a == 0.0 and not backward:
        return y
    if a > 1.7976931348623157e308:
        b = 1.0 if b > 1.7976931348623157e308 else 0.0
        a = 1.0
    elif b > 1.7976931348623157e308:
        a = 0.0
        b = 1.0
    high: cython.double
    low: cython.double = 0.0
    steep: cython.bint = a > b
    if steep:
        a, b = b, a
    if a < b * 9.313225746154785e-10 or b == 0.0:  # 2**-30: the angle is its tangent
        high = a / b if b != 0.0 else 0.0
    else:
        if b > 1e150:
            a = a * 2.409919865102884e-181
            b = b * 2.409919865102884e-181
        elif b < 1e-150:
            a = a * 4.149515568880993e180
            b = b * 4.149515568880993e180
        high, low = _angle(a, 0.0, b, 0.0)
    if steep:
        high, low = _mirrored(1.5707963267948966, 6.123233995736766e-17, high, low)
    if backward:
        high, low = _mirrored(3.141592653589793, 1.2246467991473532e-16, high, low)
    return -(high + low) if copysign(1.0, y) < 0.0 else high + low


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _leg(size: cython.double) -> tuple[cython.double, cython.double]:
    """The square root of 1 - size**2, as a pair, for 0 <= size < 1."""
    square: cython.double = size * size
    first: cython.double = 1.0 - square
    left: cython.double = sum_error(1.0, -square, first) - product_error(size, size, square)
    rest: cython.double = first + left
    root: cython.double = exact_sqrt(rest)
    return root, root_error(rest, left - (rest - first), root)


@cython.cfunc
@cython.exceptval(check=False)
def asin_of(x: cython.double) -> cython.double:
    """The arc sine of x, for -1 <= x <= 1."""
    size: cython.double = abs(x)
    high: cython.double
    low: cython.double
    leg: cython.double
    leg_low: cython.double
    if size < 7.450580596923828e-09:
        return x
    if size == 1.0:
        return 1.5707963267948966 * x
    leg, leg_low = _leg(size)
    if size <= leg:
        high, low = _angle(size, 0.0, leg, leg_low)
    else:
        high, low = _angle(leg, leg_low, size, 0.0)
        high, low = _mirrored(1.5707963267948966, 6.123233995736766e-17, high, low)
    return -(high + low) if x < 0.0 else high + low


@cython.cfunc
@cython.exceptval(check=False)
def acos_of(x: cython.double) -> cython.double:
    """The arc cosine of x, for -1 <= x <= 1."""
    size: cython.double = abs(x)
    high: cython.double
    low: cython.double
    leg: cython.double
    leg_low: cython.double
    if size == 1.0:
        return 0.0 if x > 0.0 else 3.141592653589793
    leg, leg_low = _leg(size)
    if leg <= size:
        high, low = _angle(leg, leg_low, size, 0.0)
    else:
        high, low = _angle(size, 0.0, leg, leg_low)
        high, low = _mirrored(1.5707963267948966, 6.123233995736766e-17, high, low)
    if x < 0.0:
        high, low = _mirrored(3.141592653589793, 1.2246467991473532e-16, high, low)
    return high + low


def asin(x: Any, /) -> float:
    """The angle, from -pi/2 to pi/2, whose sine is x."""
    value: cython.double = x if type(x) is float else as_float(x, "asin")
    if not -1.0 <= value <= 1.0:
        refuse("asin", value)
    return asin_of(value)


def acos(x: Any, /) -> float:
    """The angle, from 0 to pi, whose cosine is x."""
    value: cython.double = x if type(x) is float else as_float(x, "acos")
    if not -1.0 <= value <= 1.0:
        refuse("acos", value)
    return acos_of(value)


def atan(x: Any, /) -> float:
    """The angle, from -pi/2 to pi/2, whose tangent is x."""
    value: cython.double = x if type(x) is float else as_float(x, "atan")
    if value != value:
        refuse("atan", value)
    return atan2_of(value, 1.0)


def atan2(y: Any, x: Any, /) -> float:
    """The angle of the point (x, y), from -pi to pi; the sign of a zero counts."""
    above: cython.double = y if type(y) is float else as_float(y, "atan2")
    along: cython.double = x if type(x) is float else as_float(x, "atan2")
    if above != above or along != along:
        refuse("atan2", above, along)
    return atan2_of(above, along)


# Exponential function, logarithms and powers.
#
# Theory of operation. A logarithm: x is 2**e times m, and m times a short number c from a table is 1 + r with ``|r| <
# 1/128``; so log x = e log 2 - log c + log(1 + r), added as pairs. For an x near 1, c is 1 and nothing cancels. An
# exponential: x is k/64 of log 2 plus a rest below 1/184; the result is 2**(k/64), from a table, times the series of
# the rest. A power is the exponential of y log x, with both as pairs. Only + - * / and exact scaling by powers of two
# are used, in a fixed order.

if cython.compiled:
    SHORT = cython.declare(cython.double[93], RECIPROCALS)
    LOG_HIGH = cython.declare(cython.double[93], LOGS_HIGH)
    LOG_LOW = cython.declare(cython.double[93], LOGS_LOW)
    POWER_HIGH = cython.declare(cython.double[64], POWERS_HIGH)
    POWER_LOW = cython.declare(cython.double[64], POWERS_LOW)
else:
    SHORT = RECIPROCALS
    LOG_HIGH = LOGS_HIGH
    LOG_LOW = LOGS_LOW
    POWER_HIGH = POWERS_HIGH
    POWER_LOW = POWERS_LOW


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _split(x: cython.double) -> tuple[cython.double, cython.double, cython.double]:
    """e, and log(x / 2**e) as a pair, for a finite x > 0."""
    exponent: cython.int = 0
    m: cython.double
    if cython.compiled:
        m = frexp(x, cython.address(exponent))
    else:
        m, exponent = frexp(x)
    if m < 0.7071067811865476:
        m = m + m
        exponent = exponent - 1
    at: cython.longlong
    at = (cython.cast(cython.longlong, m * 128.0 + 0.5) if cython.compiled else int(m * 128.0 + 0.5)) - 90
    c: cython.double = SHORT[at]
    product: cython.double = m * c
    left: cython.double = product_error(m, c, product)
    r: cython.double = product - 1.0
    square: cython.double = r * r
    series: cython.double = 1.0 / 3.0 - r * (
        1.0 / 4.0 - r * (
            1.0 / 5.0 - r * (1.0 / 6.0 - r * (1.0 / 7.0 - r * (1.0 / 8.0 - r * (1.0 / 9.0 - r * (1.0 / 10.0)))))
        )
    )  # fmt: skip
    first: cython.double = LOG_HIGH[at] + r
    second: cython.double = first - 0.5 * square
    low: cython.double = (
        (r * square * series - 0.5 * product_error(r, r, square))
        + (left * ((1.0 - r) + square) + LOG_LOW[at])
        + (sum_error(LOG_HIGH[at], r, first) + sum_error(first, -0.5 * square, second))
    )
    high: cython.double = second + low
    return exponent, high, low - (high - second)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _log_pair(x: cython.double) -> tuple[cython.double, cython.double]:
    """The natural logarithm of a finite x > 0, as a pair."""
    exponent: cython.double
    high: cython.double
    low: cython.double
    exponent, high, low = _split(x)
    whole: cython.double = exponent * 0.6931471805592082  # 40 bits: exact
    total: cython.double = whole + high
    low = low + exponent * 7.371002565167799e-13 + sum_error(whole, high, total)
    high = total + low
    return high, low - (high - total)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _exp_pair(high: cython.double, low: cython.double) -> cython.double:
    """The exponential of a pair, for -746 <= high <= 710; infinity if it is too large."""
    # Adding 1.5 * 2**52 rounds to a whole number.
    count: cython.double = (high * 92.33248261689366 + 6755399441055744.0) - 6755399441055744.0
    first: cython.double = high - count * 0.010830424696223417  # 36 bits: exact
    part: cython.double = -count * 2.572804622327669e-14
    r: cython.double = first + part
    left: cython.double = sum_error(first, part, r) + low
    growth: cython.double = r + (
        (left + left * r)
        + r * r * (1.0 / 2.0 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0 + r * (1.0 / 720.0)))))
    )
    k: cython.longlong
    k = cython.cast(cython.longlong, count) if cython.compiled else int(count)
    at: cython.longlong = k & 63
    exponent: cython.longlong = k >> 6
    result: cython.double = POWER_HIGH[at] + (POWER_LOW[at] + POWER_HIGH[at] * growth)
    if exponent < -1021:  # below the normal numbers the last product rounds, once
        return result * ldexp(1.0, exponent + 200) * 6.223015277861142e-61
    if exponent > 1023:
        return result * 8.98846567431158e307 * 2.0
    return result * ldexp(1.0, exponent)


@cython.cfunc
@cython.exceptval(check=False)
def exp_of(x: cython.double) -> cython.double:
    """The exponential of x, which is no NaN; infinity if it is too large."""
    if x > 710.0:
        return _INFINITY
    if x < -746.0:
        return 0.0
    return _exp_pair(x, 0.0)


@cython.cfunc
@cython.exceptval(check=False)
def log_of(x: cython.double) -> cython.double:
    """The natural logarithm of a finite x > 0."""
    high: cython.double
    low: cython.double
    high, low = _log_pair(x)
    return high + low


@cython.cfunc
@cython.exceptval(check=False)
def pow_of(x: cython.double, y: cython.double) -> cython.double:
    """x to the power of y, for a finite x > 0 and a finite y; infinity if it is too large."""
    high: cython.double
    low: cython.double
    high, low = _log_pair(x)
    rough: cython.double = high * y
    if rough > 710.0:
        return _INFINITY
    if rough < -746.0:
        return 0.0
    # A y that is very large gets here only with the logarithm 0; the exact product is not needed then.
    if -1e-25 < rough < 1e-25:
        return 1.0 + rough
    return _exp_pair(rough, product_error(high, y, rough) + low * y)


_INFINITY = cython.declare(cython.double, float("inf"))


def exp(x: Any, /) -> float:
    """e to the power of x."""
    value: cython.double = x if type(x) is float else as_float(x, "exp")
    if value != value:
        refuse("exp", value)
    result: cython.double = exp_of(value)
    if result > 1.7976931348623157e308 and value < result:
        overflow("exp", value)
    return result


def log(x: Any, /) -> float:
    """The natural logarithm."""
    value: cython.double = x if type(x) is float else as_float(x, "log")
    if not value > 0.0:
        refuse("log", value)
    return log_of(value) if value <= 1.7976931348623157e308 else value


def log2(x: Any, /) -> float:
    """The logarithm to base 2; exact for powers of two."""
    value: cython.double = x if type(x) is float else as_float(x, "log2")
    exponent: cython.double
    high: cython.double
    low: cython.double
    if not value > 0.0:
        refuse("log2", value)
    if value > 1.7976931348623157e308:
        return value
    exponent, high, low = _split(value)
    part: cython.double = high * 1.4426950408889634
    total: cython.double = exponent + part
    low = product_error(high, 1.4426950408889634, part) + (high * 2.0355273740931033e-17 + low * 1.4426950408889634)
    return total + (sum_error(exponent, part, total) + low)


def log10(x: Any, /) -> float:
    """The logarithm to base 10; exact for powers of ten."""
    value: cython.double = x if type(x) is float else as_float(x, "log10")
    exponent: cython.double
    high: cython.double
    low: cython.double
    if not value > 0.0:
        refuse("log10", value)
    if value > 1.7976931348623157e308:
        return value
    exponent, high, low = _split(value)
    whole: cython.double = exponent * 0.30102999566361177  # 40 bits: exact
    part: cython.double = high * 0.4342944819032518
    total: cython.double = whole + part
    low = product_error(high, 0.4342944819032518, part) + (high * 1.098319650216765e-17 + low * 0.4342944819032518)
    return total + (sum_error(whole, part, total) + (low + exponent * 3.694239077158931e-13))


def pow(x: Any, y: Any, /) -> float:  # noqa: A001 - named as in the math module, which it replaces
    """x to the power of y, as a float."""
    base: cython.double = x if type(x) is float else as_float(x, "pow")
    exponent: cython.double = y if type(y) is float else as_float(y, "pow")
    result: cython.double = 1.0
    if base != base or exponent != exponent:
        refuse("pow", base, exponent)
    if exponent == 0.0 or base == 1.0:
        return result
    size: cython.double = abs(base)
    if size == 0.0 or size - size != 0.0 or exponent - exponent != 0.0:
        if size == 0.0 and -1.7976931348623157e308 <= exponent < 0.0:
            refuse("pow", base, exponent)
        result = _edge_power(size, exponent)
    elif base < 0.0 and floor(exponent) != exponent:
        refuse("pow", base, exponent)
    else:
        result = pow_of(size, exponent)
        if result > 1.7976931348623157e308:
            overflow("pow", base, exponent)
    if copysign(1.0, base) < 0.0 and _is_odd(exponent):
        return -result
    return result


@cython.cfunc
@cython.exceptval(check=False)
def _edge_power(size: cython.double, exponent: cython.double) -> cython.double:
    """A power that is 0, 1 or infinity, because the base is 0 or one of the two is infinite."""
    if size == 1.0:
        return 1.0
    return _INFINITY if (size > 1.0) == (exponent > 0.0) else 0.0


@cython.cfunc
@cython.exceptval(check=False)
def _is_odd(y: cython.double) -> cython.bint:
    """Whether y is an odd whole number. From 2**53 on, all are even."""
    return -9007199254740992.0 < y < 9007199254740992.0 and floor(y) == y and floor(y * 0.5) != y * 0.5


# A vector in the plane, as a value.


@cython.cclass
class Vec2:
    """Two floats, neither a NaN. A vector is immutable: each operation makes a new one."""

    if not cython.compiled:
        __slots__ = ("x", "y")

    x: cython.double  # readonly
    y: cython.double  # readonly

    def __init__(self, x: Any, y: Any) -> None:
        along: cython.double = x if type(x) is float else as_float(x, "Vec2")
        above: cython.double = y if type(y) is float else as_float(y, "Vec2")
        _fill(self, along, above)

    @staticmethod
    def polar(length: Any, angle: Any) -> "Vec2":
        """The vector of a length in a direction, in radians."""
        size: cython.double = length if type(length) is float else as_float(length, "Vec2.polar")
        turn: cython.double = angle if type(angle) is float else as_float(angle, "Vec2.polar")
        if turn - turn != 0.0:
            refuse("Vec2.polar", size, turn)
        return _made(size * cos_of(turn), size * sin_of(turn))

    def __setattr__(self, name: str, _value: object) -> NoReturn:
        raise AttributeError(f"a Vec2 does not change, so {name} cannot be set: make a new one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Vec2 does not change, so {name} cannot be deleted")

    def __add__(self, other: object) -> "Vec2":
        if not isinstance(other, Vec2):
            return NotImplemented
        mine: Vec2 = self
        theirs: Vec2 = other
        return _made(mine.x + theirs.x, mine.y + theirs.y)

    def __sub__(self, other: object) -> "Vec2":
        if not isinstance(other, Vec2):
            return NotImplemented
        mine: Vec2 = self
        theirs: Vec2 = other
        return _made(mine.x - theirs.x, mine.y - theirs.y)

    def __mul__(self, factor: object) -> "Vec2":
        if not isinstance(factor, (int, float)):
            return NotImplemented
        mine: Vec2 = self
        times: cython.double = factor if type(factor) is float else as_float(factor, "Vec2")
        return _made(mine.x * times, mine.y * times)

    def __rmul__(self, factor: object) -> "Vec2":
        return self.__mul__(factor)

    def __truediv__(self, divisor: object) -> "Vec2":
        if not isinstance(divisor, (int, float)):
            return NotImplemented
        mine: Vec2 = self
        by: cython.double = divisor if type(divisor) is float else as_float(divisor, "Vec2")
        if by == 0.0:
            raise ZeroDivisionError(f"{self!r} divided by zero")
        return _made(mine.x / by, mine.y / by)

    def __neg__(self) -> "Vec2":
        return _made(-self.x, -self.y)

    def dot(self, other: Any) -> float:
        """The dot product: 0 for a right angle, positive below it."""
        theirs: Vec2 = _vector(other, "dot")
        return _sum(self.x * theirs.x, self.y * theirs.y)

    def cross(self, other: Any) -> float:
        """The cross product: positive if the other vector lies to the left of this one, where y points up."""
        theirs: Vec2 = _vector(other, "cross")
        return _sum(self.x * theirs.y, -(self.y * theirs.x))

    def length(self) -> float:
        """The distance from the origin."""
        size: cython.double = hypot_of(self.x, self.y)
        if size - size != 0.0 and self.x - self.x == 0.0 and self.y - self.y == 0.0:
            overflow("hypot", self.x, self.y)
        return size

    def angle(self) -> float:
        """The direction in radians, from -pi to pi; 0 for the zero vector."""
        return atan2_of(self.y, self.x)

    def normalised(self) -> "Vec2":
        """The vector of length 1 in the same direction; raises ZeroDivisionError for the zero vector."""
        size: cython.double = hypot_of(self.x, self.y)
        if size == 0.0:
            raise ZeroDivisionError(f"{self!r} has no direction")
        if size - size != 0.0:
            overflow("hypot", self.x, self.y)
        return _made(self.x / size, self.y / size)

    def rotated(self, angle: Any) -> "Vec2":
        """The vector turned by an angle in radians, from the x axis towards the y axis."""
        turn: cython.double = angle if type(angle) is float else as_float(angle, "rotated")
        if turn - turn != 0.0:
            refuse("rotated", turn)
        sine: cython.double = sin_of(turn)
        cosine: cython.double = cos_of(turn)
        return _made(self.x * cosine - self.y * sine, self.x * sine + self.y * cosine)

    def __iter__(self) -> Iterator[float]:
        return iter((self.x, self.y))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vec2):
            return NotImplemented
        mine: Vec2 = self
        theirs: Vec2 = other
        return mine.x == theirs.x and mine.y == theirs.y

    def __hash__(self) -> int:
        return hash((self.x, self.y))

    def __repr__(self) -> str:
        return f"Vec2({self.x!r}, {self.y!r})"

    def __reduce__(self) -> Any:
        return Vec2, (self.x, self.y)


@cython.cfunc
def _fill(vector: Vec2, x: cython.double, y: cython.double) -> Vec2:
    if x != x or y != y:
        refuse("Vec2", x, y)
    if cython.compiled:
        vector.x = x
        vector.y = y
    else:
        object.__setattr__(vector, "x", x)
        object.__setattr__(vector, "y", y)
    return vector


@cython.cfunc
def _made(x: cython.double, y: cython.double) -> Vec2:
    return _fill(Vec2.__new__(Vec2), x, y)


@cython.cfunc
def _vector(other: Any, method: str) -> Vec2:
    if not isinstance(other, Vec2):
        raise TypeError(f"Vec2.{method}() takes a Vec2, not {other!r}")
    return other


@cython.cfunc
def _sum(a: cython.double, b: cython.double) -> float:
    """a + b; raises OverflowError for two infinities that have no sum."""
    if a + b != a + b:
        overflow("the sum", a, b)
    return a + b
