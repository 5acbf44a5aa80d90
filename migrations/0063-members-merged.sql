-- expand: code from 0016 can run on this schema.
-- Whoever was merged several times led to the next one only: now to who remains.
with recursive led as (
  select m.store_id, m.id, k.merged_into as kept, 2 as steps
    from members m join members k on k.store_id = m.store_id and k.id = m.merged_into
   where k.merged_into is not null
  union all
  select l.store_id, l.id, k.merged_into, l.steps + 1
    from led l join members k on k.store_id = l.store_id and k.id = l.kept
   -- So many at most: a circle, which nothing makes, would have no end.
   where k.merged_into is not null and l.steps < 100)
update members m set merged_into = l.kept
  from (select distinct on (store_id, id) store_id, id, kept from led order by store_id, id, steps desc) l
 where m.store_id = l.store_id and m.id = l.id and m.id <> l.kept;
