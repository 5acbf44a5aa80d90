-- The first date of a series of billing dates after a moment, counted from the anchor in the shop's time zone; not before the date of
-- `first_cycle`. As in the code: the day of the month stays that of the anchor; of an hour that comes twice, the first is meant.
create or replace function series_date_after(
  anchor timestamptz, anchor_cycle integer, first_cycle integer, unit text, units integer, moment timestamptz, zone text)
returns timestamptz language plpgsql stable as $$
declare
  local_anchor timestamp := anchor at time zone zone;
  step interval := units * ('1 ' || unit)::interval;
  days integer := units * case unit when 'day' then 1 when 'week' then 7 when 'month' then 31 else 366 end;
  n integer := greatest(first_cycle - anchor_cycle, extract(day from moment - anchor)::integer / days - 1);
  local_date timestamp;
  found timestamptz;
begin
  loop
    local_date := local_anchor + n * step;
    found := local_date at time zone zone;
    if (found - interval '1 hour') at time zone zone = local_date then found := found - interval '1 hour';
    elsif (found - interval '30 minutes') at time zone zone = local_date then found := found - interval '30 minutes';
    end if;
    exit when found > moment;
    n := n + 1;
  end loop;
  return found;
end $$;
