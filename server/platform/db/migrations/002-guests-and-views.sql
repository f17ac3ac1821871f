-- Who alone may join a session, and the filters of people that an account comes back to: JSON.
ALTER TABLE sessions ADD COLUMN guests {text};
ALTER TABLE accounts ADD COLUMN people_views {text};
