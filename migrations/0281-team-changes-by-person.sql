-- expand: code from 0016 can run on this schema.
create index team_changes_by_person on team_changes (person_id, id) where person_id is not null;
