-- expand: code from 0016 can run on this schema.
-- Entries of store credit that histories hide: redemptions of cancelled orders that were restored in whole, and what has restored them. A
-- trigger notes them; amounts never change, so an entry that is hidden stays hidden. `is_counted`: it is in `hidden` of the marks.
create table hidden_credit_entries (
  store_id bigint not null references stores,
  entry_id bigint not null,
  is_counted boolean not null default false,
  primary key (store_id, entry_id),
  foreign key (store_id, entry_id) references credit_entries
);
create index hidden_credit_entries_uncounted on hidden_credit_entries (store_id, entry_id) where not is_counted;
select protect_table('hidden_credit_entries');

-- Defined here, so that the entries of before are found while nobody can add one.
create function hide_restored_redemption() returns trigger language plpgsql as $$
begin
  insert into hidden_credit_entries (store_id, entry_id)
  select new.store_id, h.id
    from (select r.store_id, sum(r.amount_minor) as minor, array_agg(r.id) filter (where r.type = 5) as ids
            from credit_entries r
           where r.store_id = new.store_id and r.reverses_id = new.reverses_id
           group by r.store_id
          having bool_or(r.mark = 'order_cancelled')) r
   cross join (select id, amount_minor from credit_entries
                where store_id = new.store_id and id = new.reverses_id and type = 4 offset 0) e
   cross join lateral unnest(e.id || r.ids) h(id)
   where e.amount_minor + r.minor >= 0
   order by h.id
  on conflict (store_id, entry_id) do nothing;
  return null;
end $$;
create trigger hide_restored after insert on credit_entries
  for each row when (new.reverses_id is not null) execute function hide_restored_redemption();
create trigger hide_marked after update of mark on credit_entries
  for each row when (new.mark = 'order_cancelled') execute function hide_restored_redemption();
insert into hidden_credit_entries (store_id, entry_id, is_counted)
select r.store_id, h.id, true
  from (select store_id, reverses_id, sum(amount_minor) as minor, array_agg(id) filter (where type = 5) as ids
          from credit_entries where reverses_id is not null
         group by store_id, reverses_id having bool_or(mark = 'order_cancelled')) r
  join credit_entries e on e.store_id = r.store_id and e.id = r.reverses_id
 cross join lateral unnest(e.id || r.ids) h(id)
 where e.type = 4 and e.amount_minor + r.minor >= 0;

drop index credit_entries_cancelling;
