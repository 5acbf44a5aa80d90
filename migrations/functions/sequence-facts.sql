-- Gives the next positions of a store to facts that have none, at most so many, in order of id, and returns how many there
-- were. A consumer that reads up to the last position has missed nothing: a fact whose transaction commits late gets a
-- later position than those that were there before. The positions of facts with one ordering key are the order in which
-- all consumers get them, also after a retry. It is that of the commits where the writers lock the same row. Where they do not
-- (credit locks its account, a change of the member locks the member), either may come first.
--
-- One caller at a time per store: returns 0 when another one is at work, and in a store without consumers. It is a function
-- because each of its statements needs a snapshot from after the lock, and so that it costs one round trip.
create or replace function sequence_facts(store bigint, most integer) returns integer language plpgsql as $$
declare
  last bigint;
  given integer;
  reached bigint;
  names text[];
  others text[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('sequence of facts', store)) then
    return 0;
  end if;
  select max(last_position) into last from fact_consumers where store_id = store;
  if last is null then
    return 0;
  end if;
  with placed as (
    update facts f set position = last + w.nth
      from (select n.id, row_number() over (order by n.id) as nth
              from (select id from facts where store_id = store and position is null order by id limit most) n
            offset 0) w
     where f.store_id = store and f.id = w.id
    returning f.name)
  select count(*), array_agg(distinct name) into given, names from placed;
  if given > 0 then
    -- Whoever had all facts before these and wants none of these is past them at once.
    others := array(select k.name from known_consumers k where not k.facts && names);
    if others = '{}' then
      -- Nobody waits for the disk here: the commit of a consumer, which comes later, also makes this one durable. Should it be
      -- lost before, the facts get positions again. A consumer that is past them may have been seen there.
      perform set_config('synchronous_commit', 'off', true);
    end if;
    reached := last + given;
    update fact_consumers
       set last_position = reached,
           position = case when position = last and consumer = any(others) then reached else position end,
           furthest = case when position = last and consumer = any(others) then greatest(furthest, reached) else furthest end
     where store_id = store;
  end if;
  return given;
end $$;
