-- Whether a discount code is one that spends store credit, as isCreditCode (spending) recognizes it: by its form and its last two
-- characters, which follow from the others.
create or replace function is_credit_code(code text) returns boolean language plpgsql immutable as $$
declare
  alphabet constant text := '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
  wanted text := upper(trim(code));
  characters text;
  digest bytea;
begin
  if wanted !~ '^SC-[2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}$' then return false; end if;
  characters := replace(substr(wanted, 4), '-', '');
  digest := sha256(convert_to('perennial store credit ' || left(characters, 14), 'UTF8'));
  return right(characters, 2) = substr(alphabet, get_byte(digest, 0) % 32 + 1, 1) || substr(alphabet, get_byte(digest, 1) % 32 + 1, 1);
end $$;
