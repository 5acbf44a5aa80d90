-- expand: code from 0016 can run on this schema.
-- Stores that were restored from a backup, and how the service notices that its database is one.

-- Since when (real time) the store is held because its rows come from a backup: its platform may have charged and changed things
-- since then that are not known here. Null: it is not held.
alter table stores add column restored_at timestamptz;

create table installation (
  is_only boolean primary key default true check (is_only),
  id uuid not null default gen_random_uuid(),
  -- The server, database and table in which these rows were used last, by their numbers. In another place they are a restored copy.
  -- Null: they were not used yet.
  place text,
  -- Rises while nodes run, and each node remembers the last number that it saw. A lower one is an older copy of the database.
  epoch bigint not null default 0
);
insert into installation default values;
grant select, update on installation to perennial_operator;
