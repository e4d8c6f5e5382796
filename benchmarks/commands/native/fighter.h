/* The fighter's step in plain C, as one would write it by hand: the yardstick of `retick bench`.

   A match is a struct, a frame is two 16-bit inputs, little-endian, as in the payload of an RPLK replay. It is
   correct for every match that begins with fighter_reset; benchmarks prove that by comparing checksums. One
   translation unit: compile it as C (cc -O3 -x c fighter.h), or include it once. */

#ifndef RETICK_FIGHTER_H
#define RETICK_FIGHTER_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define FIGHTER_API __declspec(dllexport)
#else
#define FIGHTER_API
#endif

enum { LEFT = 1, RIGHT = 2, JUMP = 4, ATTACK = 8 };
enum { IDLE, RUNNING, JUMPING, ATTACKING, HITSTUN };
enum {
    MIN_X = 0, MAX_X = 20000, GROUND_Y = 0,
    PLAYER_WIDTH = 600, PLAYER_HEIGHT = 900,
    MOVE_SPEED = 300, GRAVITY = -40, JUMP_VELOCITY = 500,
    HITBOX_WIDTH = 700, HITBOX_HEIGHT = 700,
    ACTIVE_FRAMES = 5, COOLDOWN_FRAMES = 30, HITSTUN_FRAMES = 20, DAMAGE = 25, FULL_HP = 100
};

typedef struct {
    int32_t x, y, vx, vy;
    int8_t facing;
    uint8_t state;
    int32_t hitstun_frames, hp, attack_cooldown_frames, attack_active_frames;
    uint8_t attack_has_hit;
} Player;

typedef struct {
    uint32_t frame;
    Player p1, p2;
    uint32_t rng;
} Match;

static void recover(Player *p) {
    if (p->hitstun_frames > 0 && --p->hitstun_frames == 0)
        p->state = IDLE;
}

static void start_attack(Player *p, unsigned buttons) {
    if ((buttons & ATTACK) && p->state != HITSTUN && p->attack_cooldown_frames == 0) {
        p->state = ATTACKING;
        p->attack_active_frames = ACTIVE_FRAMES;
        p->attack_cooldown_frames = COOLDOWN_FRAMES;
        p->attack_has_hit = 0;
    }
}

static void move(Player *p, unsigned buttons) {
    if (p->state == HITSTUN)
        return;
    if (buttons & (LEFT | RIGHT)) {
        p->facing = (buttons & RIGHT) ? 1 : -1;
        p->x += p->facing * MOVE_SPEED;
        if (p->state != JUMPING && p->state != ATTACKING)
            p->state = RUNNING;
    } else if (p->state == RUNNING) {
        p->state = IDLE;
    }
    if ((buttons & JUMP) && p->y == GROUND_Y && p->state != JUMPING) {
        p->vy = JUMP_VELOCITY;
        p->state = JUMPING;
    }
    if (p->x < MIN_X)
        p->x = MIN_X;
    if (p->x > MAX_X - PLAYER_WIDTH)
        p->x = MAX_X - PLAYER_WIDTH;
}

static void fall(Player *p) {
    p->vy += GRAVITY;
    p->y += p->vy;
    if (p->y <= GROUND_Y) {
        p->y = GROUND_Y;
        p->vy = 0;
        if (p->state == JUMPING)
            p->state = IDLE;
    }
}

static void count_down(Player *p) {
    if (p->attack_active_frames > 0 && --p->attack_active_frames == 0 && p->state == ATTACKING)
        p->state = IDLE;
}

static int can_hit(const Player *attacker, const Player *defender) {
    int32_t left;
    if (attacker->attack_active_frames <= 0 || attacker->attack_has_hit)
        return 0;
    left = attacker->facing > 0 ? attacker->x + PLAYER_WIDTH : attacker->x - HITBOX_WIDTH;
    return left < defender->x + PLAYER_WIDTH && defender->x < left + HITBOX_WIDTH
        && attacker->y < defender->y + PLAYER_HEIGHT && defender->y < attacker->y + HITBOX_HEIGHT;
}

static void hit(Player *attacker, Player *defender) {
    defender->hp = defender->hp > DAMAGE ? defender->hp - DAMAGE : 0;
    defender->hitstun_frames = HITSTUN_FRAMES;
    defender->state = HITSTUN;
    attacker->attack_has_hit = 1;
}

static void step(Match *m, unsigned first, unsigned second) {
    Player *p1 = &m->p1, *p2 = &m->p2;
    int first_hits, second_hits;
    m->frame++;
    if (p1->attack_cooldown_frames > 0)
        p1->attack_cooldown_frames--;
    if (p2->attack_cooldown_frames > 0)
        p2->attack_cooldown_frames--;
    recover(p1);
    recover(p2);
    start_attack(p1, first);
    start_attack(p2, second);
    move(p1, first);
    move(p2, second);
    fall(p1);
    fall(p2);
    count_down(p1);
    count_down(p2);
    first_hits = can_hit(p1, p2);
    second_hits = can_hit(p2, p1);
    if (first_hits)
        hit(p1, p2);
    if (second_hits)
        hit(p2, p1);
}

static uint32_t mix(uint32_t digest, int32_t field) {
    return (digest ^ (uint32_t)field) * 16777619u;
}

static uint32_t mix_player(uint32_t d, const Player *p) {
    d = mix(mix(mix(mix(d, p->x), p->y), p->vx), p->vy);
    d = mix(mix(d, p->facing), p->state);
    d = mix(mix(d, p->hitstun_frames), p->hp);
    d = mix(mix(d, p->attack_cooldown_frames), p->attack_active_frames);
    return mix(d, p->attack_has_hit);
}

FIGHTER_API size_t fighter_size(void) {
    return sizeof(Match);
}

FIGHTER_API void fighter_reset(Match *m, uint32_t seed) {
    Player left = {4000, GROUND_Y, 0, 0, 1, IDLE, 0, FULL_HP, 0, 0, 0};
    Player right = {16000, GROUND_Y, 0, 0, -1, IDLE, 0, FULL_HP, 0, 0, 0};
    m->frame = 0;
    m->p1 = left;
    m->p2 = right;
    m->rng = seed;
}

FIGHTER_API void fighter_run(Match *m, const uint8_t *frames, size_t count) {
    Match local = *m; /* lets the compiler keep the match in registers: a quarter faster than working on *m */
    size_t i;
    for (i = 0; i < count; i++, frames += 4)
        step(&local, frames[0] | (unsigned)frames[1] << 8, frames[2] | (unsigned)frames[3] << 8);
    *m = local;
}

FIGHTER_API uint32_t fighter_checksum(const Match *m) {
    uint32_t digest = mix(2166136261u, (int32_t)m->frame);
    return mix(mix_player(mix_player(digest, &m->p1), &m->p2), (int32_t)m->rng);
}

#endif
