"""Tests of :mod:`retick.integrations.pettingzoo`."""
