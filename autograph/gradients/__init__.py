"""`ag.grad` and its kin: functions of functions that give derivatives, and the gradient tape."""
