-- expand: code from 0016 can run on this schema.
-- How many of the counted hidden entries are at a mark and before it. Null: they were not counted for this mark, which then is not used.
alter table export_marks
  add column hidden bigint,
  add constraint export_marks_hidden_check check (hidden between 0 and rank);
create index export_marks_by_shown on export_marks (store_id, (rank - hidden)) where hidden is not null;
