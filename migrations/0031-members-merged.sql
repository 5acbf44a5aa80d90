-- expand: code from 0016 can run on this schema.
-- A removed member is looked for among those that were merged into others. Without the index each one would read all members of the
-- store, and a large store could not be deleted in sensible time.
create index members_merged on members (store_id, merged_into) where merged_into is not null;
