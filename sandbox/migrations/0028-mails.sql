-- expand: code from 0020 can run on this schema.
-- Mail that the app has sent to customers of a shop. Nobody gets it: a page shows it.
create table sandbox.mails (
  store_id bigint not null,
  id bigint generated always as identity,
  sent_to text not null,
  sender_name text not null,
  subject text not null,
  content_text text not null,
  content_html text not null,
  sent_at timestamptz not null,
  primary key (store_id, id)
);

grant select, insert, update, delete on sandbox.mails to perennial_operator, perennial_store;
