# Constants that the C compiler can fold. They repeat rules.py and the layout of state.py; a test holds them equal.

from retick.sim.flat cimport FlatSimulation

cdef extern from *:
    """
    /* play_columns is compiled a second time for processors with AVX2, which play eight matches in one register instead
       of four; the loader chooses. Its name is Cython's for it: under another name nothing is gained and nothing lost. */
    #if defined(__PYX_HAVE__retick__games__fighter__kernel) && defined(__x86_64__) && defined(__GNUC__) \\
        && !defined(__clang__) && defined(__GLIBC__)
    static void __pyx_f_6retick_5games_7fighter_6kernel_play_columns(
        int*, Py_ssize_t, int*, int*, Py_ssize_t) __attribute__((target_clones("avx2", "default")));
    #endif
    """

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
    CELLS = 1536
    ENOUGH = 32
    BLOCK = 32
    PRESSED = 2048

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
    cdef void run_many_slots(
        self, long long* rows, const unsigned char* octets, long long* starts, long long* counts, Py_ssize_t matches
    ) noexcept nogil


cdef void play_columns(
    int* cells, Py_ssize_t base, int* first, int* second, Py_ssize_t count
) noexcept nogil
