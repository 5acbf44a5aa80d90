-- expand: code from 0016 can run on this schema.
-- The prices that a requested price replaces, and for which price that is: a price that is agreed on the platform while the change
-- waits is not overwritten. Null: no price is requested, or an earlier version requested it.
alter table subscription_changes add column replaces jsonb;
