-- expand: code from 0016 can run on this schema.
-- How many members there are in each section of 4,096 internal ids, for pages of members by their number: `rows` of a section plus
-- the changes that wait to be added to it is the exact number, in every snapshot.
create table member_sections (
  store_id bigint not null references stores,
  section bigint not null,
  rows bigint not null,
  primary key (store_id, section)
);
select protect_table('member_sections');

-- What waits to be added: a row for each change, so that writers do not wait for each other.
create table member_section_changes (
  store_id bigint not null references stores,
  id bigint not null generated always as identity,
  section bigint not null,
  delta integer not null,
  primary key (store_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
select protect_table('member_section_changes');

-- Defined here, so that the rows of before are counted while nobody can add one.
create function note_member_section() returns trigger language plpgsql as $$
begin
  insert into member_section_changes (store_id, section, delta)
  values (new.store_id, new.id / 4096, case when new.status is not null and new.merged_into is null then 1 else -1 end);
  return null;
end $$;
create trigger count_member_added after insert on members
  for each row when (new.status is not null and new.merged_into is null) execute function note_member_section();
create trigger count_member_changed after update of status, merged_into on members
  for each row when ((new.status is not null and new.merged_into is null)
                     is distinct from (old.status is not null and old.merged_into is null))
  execute function note_member_section();
insert into member_sections (store_id, section, rows)
select store_id, id / 4096, count(*) from members where status is not null and merged_into is null group by 1, 2;
