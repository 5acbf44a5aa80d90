-- expand: code from 0016 can run on this schema.
-- Which facts of a store are gone, for those who read facts by position.

-- No fact up to this position is to be counted on; what code before this column removed is known from the first fact that is left.
alter table fact_history add column pruned_through bigint not null default 0;
