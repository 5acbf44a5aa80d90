-- expand: code from 0016 can run on this schema.
-- How far birthdays and anniversaries are counted: the next day of the shop, and whom of it was looked at last.
create table loyalty_occasions (
  store_id bigint primary key references stores,
  next_day date not null,
  occasion text not null default 'birthday' check (occasion in ('birthday', 'anniversary')),
  after_id bigint not null default 0,
  due_at timestamptz not null
);
select protect_table('loyalty_occasions');
