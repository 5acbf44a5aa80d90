-- expand: code from 0016 can run on this schema.
-- What was rounded down to these points: the share that refunds and disputes leave is taken of it, and rounded down once. Null in
-- entries that are not shared, and in those of before.
alter table points_entries add column exact_points numeric(40, 9);
