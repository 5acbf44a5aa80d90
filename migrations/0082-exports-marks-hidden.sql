-- expand: code from 0016 can run on this schema.
-- How many of the counted hidden entries are at a mark and before it, and how many entries that are shown. Null: they were not counted
-- for this mark, which then is not used.
alter table export_marks
  add column hidden bigint,
  add column shown bigint generated always as (rank - hidden) stored,
  add constraint export_marks_hidden_check check (hidden between 0 and rank);
create index export_marks_by_shown on export_marks (store_id, shown) where shown is not null;
