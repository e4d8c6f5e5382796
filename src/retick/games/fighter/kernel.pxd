# Constants that the C compiler can fold. They repeat rules.py and the layout of state.py; a test holds them equal.
# A row is of the integers that a loop needs: 16 bits for most matches side by side, 32 for any, 64 for a state's slots.

from retick.sim.flat cimport FlatSimulation

cdef extern from *:
    """
    /* The names below are Cython's: under other names nothing is gained and nothing lost. The rules must be a part of
       the loop in 16 bits, or it is no loop over registers; by itself the C compiler finds them too long for that. */
    #if defined(__PYX_HAVE__retick__games__fighter__kernel) && defined(__GNUC__)
    static CYTHON_INLINE void __pyx_fuse_0__pyx_f_6retick_5games_7fighter_6kernel__play_lane(
        short*, Py_ssize_t, short*, short, short) __attribute__((always_inline));
    static CYTHON_INLINE void __pyx_fuse_0__pyx_f_6retick_5games_7fighter_6kernel__tick(
        short*, short, short, int) __attribute__((always_inline));
    #endif
    /* Both loops are compiled a second time for processors with AVX2, which play twice as many matches in one register;
       the loader chooses. */
    #if defined(__PYX_HAVE__retick__games__fighter__kernel) && defined(__x86_64__) && defined(__GNUC__) \\
        && !defined(__clang__) && defined(__GLIBC__)
    static void __pyx_f_6retick_5games_7fighter_6kernel_play_columns(
        int*, Py_ssize_t, int*, int*, Py_ssize_t) __attribute__((target_clones("avx2", "default")));
    static void __pyx_f_6retick_5games_7fighter_6kernel_play_narrow(
        short*, unsigned short*, Py_ssize_t) __attribute__((target_clones("avx2", "default")));
    #endif
    """

ctypedef fused Cell:
    short
    int
    long long

ctypedef Cell* Row

cdef enum:
    X = 0
    Y = 1
    VY = 3
    FACING = 4
    STATE = 5
    HITSTUN = 6
    HP = 7
    COOLDOWN = 8
    ACTIVE = 9
    HAS_HIT = 10

    FIRST = 1
    SECOND = 12
    LAST = 23
    SLOTS = 24
    PLAYER_SLOTS = 11
    LANES = 64

    IDLE = 0
    RUN = 1
    JUMP = 2
    ATTACK = 3
    STUNNED = 4

    LEFT_BUTTON = 1
    RIGHT_BUTTON = 2
    JUMP_BUTTON = 4
    ATTACK_BUTTON = 8

    MIN_X = 0
    MAX_X = 20000
    GROUND_Y = 0
    PLAYER_WIDTH = 600
    PLAYER_HEIGHT = 900
    MOVE_SPEED = 300
    GRAVITY = -40
    JUMP_VELOCITY = 500
    HITBOX_WIDTH = 700
    HITBOX_HEIGHT = 700
    ATTACK_ACTIVE_FRAMES = 5
    ATTACK_COOLDOWN_FRAMES = 30
    ATTACK_DAMAGE = 25
    HITSTUN_FRAMES = 20


cdef class FighterKernel(FlatSimulation):
    cdef void advance_slots(self, long long* slots, unsigned long long* inputs) noexcept nogil
    cdef void run_slots(self, long long* slots, const unsigned char* frames, Py_ssize_t count) noexcept nogil


cdef void play_columns(
    int* cells, Py_ssize_t base, int* first, int* second, Py_ssize_t count
) noexcept nogil
cdef void play_narrow(short* cells, unsigned short* buttons, Py_ssize_t frames) noexcept nogil
