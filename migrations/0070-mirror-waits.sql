-- expand: code from 0016 can run on this schema.
-- Since when (store time) the tags of an owner wait to be compared or written. It counts only while `due_at` is set, which says when that
-- is tried next; null also where a version from before set `due_at`.
alter table tag_owners add column waits_since timestamptz;
-- Tags that were added and removed on the platform since the store was connected.
alter table tag_walks add column added bigint not null default 0;
alter table tag_walks add column removed bigint not null default 0;
