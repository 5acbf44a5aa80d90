-- A member's entries are numbered 1, 2, 3, … without a gap, so that any page of a history costs its own rows only, and
-- its exact total is the number of the last one.
alter table credit_accounts add column entries bigint not null default 0 check (entries >= 0);
alter table credit_entries add column position bigint check (position >= 1);

update credit_entries e set position = n.position
  from (select store_id, id, row_number() over (partition by store_id, member_id order by id) as position
          from credit_entries) n
 where e.store_id = n.store_id and e.id = n.id;
update credit_accounts a set entries = n.entries
  from (select store_id, member_id, count(*) as entries from credit_entries group by store_id, member_id) n
 where a.store_id = n.store_id and a.member_id = n.member_id;

alter table credit_entries alter column position set not null,
  add constraint credit_entries_by_position unique (store_id, member_id, position);
drop index credit_entries_by_member;
