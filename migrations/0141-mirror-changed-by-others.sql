-- expand: code from 0016 can run on this schema.
-- Metafields that a comparison has found otherwise than the service had left them, and than it wants them, since the store was connected.
alter table metafield_stores add column changed_by_others bigint not null default 0;
