-- Gathers the planner's statistics of the table that has changed most since they were gathered last, if that is half of it or
-- more, and is none of `seen`; returns its name, or null if there is none. A table that something else holds is left as it is.
-- Only the owner of the tables may, which the service's roles are not.
drop function if exists analyze_grown_table();

create or replace function analyze_grown_table(seen text[] default '{}') returns text language plpgsql security definer
  set search_path from current as $$
declare
  grown text;
begin
  select s.relid::regclass::text into grown
    from pg_stat_user_tables s
   where s.schemaname = current_schema() and s.n_mod_since_analyze >= 1000 and s.n_mod_since_analyze * 2 >= s.n_live_tup
     and s.relid::regclass::text <> all(seen)
   order by s.n_mod_since_analyze desc
   limit 1;
  if grown is not null then
    execute format('analyze (skip_locked) %s', grown);
  end if;
  return grown;
end $$;

revoke all on function analyze_grown_table(text[]) from public;
grant execute on function analyze_grown_table(text[]) to perennial_operator;
