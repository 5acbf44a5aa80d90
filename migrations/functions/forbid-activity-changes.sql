-- Activities are not changed or deleted. Only a person's notes may be removed, the member replaced when the platform merges
-- customers, and the words about a person replaced when that person is erased. They go with their store when it is deleted.
create or replace function forbid_activity_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (new.notes is null or new.notes = old.notes)
     and (to_jsonb(new) - 'notes' - 'member_id') = (to_jsonb(old) - 'notes' - 'member_id') then
    return new;
  end if;
  if tg_op = 'UPDATE' and new.notes is null
     and (to_jsonb(new) - '{notes,text,refs,actor_id}'::text[]) = (to_jsonb(old) - '{notes,text,refs,actor_id}'::text[])
     and exists (select from members m
                   join subscriptions s on s.store_id = old.store_id and s.id = old.subscription_id
                  where m.store_id = old.store_id and m.erased_at is not null
                    and m.id in (old.member_id, s.member_id, s.receiver_member_id)) then
    return new;
  end if;
  if tg_op = 'DELETE' and exists (select from stores where store_id = old.store_id and deleting_since is not null) then
    return old;
  end if;
  raise exception 'An activity is never changed or removed (activity % of store %)', old.id, old.store_id;
end $$;

create or replace trigger forbid_activity_changes before update or delete on contract_activities
  for each row execute function forbid_activity_changes();
