-- expand: code from 0016 can run on this schema.
-- When the person was erased. The row stays with its number, so that what refers to it adds up as before; the number of the platform is
-- then our own behind a zero, which no number of the platform begins with.
alter table members add column erased_at timestamptz;
