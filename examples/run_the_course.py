"""A scripted runner on the course for ten seconds, without a network."""

from retick.games.runner import CourseBot
from retick.netrunner import NetRunner

net = NetRunner()
bot, builder, state = CourseBot(seed=1), net.builder(), net.motor.spawn(2)
for tick in range(1, 601):
    intent = bot.decide(state)
    builder.sample(intent, state)
    state = net.motor.step(state, builder.build(intent, seq=tick, tick=tick, epoch=1))
print(state.position, state.locomotion)
