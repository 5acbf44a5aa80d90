export { beginChange, endChange, type LoggedChange, listChangesOfRequest, listLoggedChanges } from './changes.ts'
export {
  acceptInvitation,
  findInvitation,
  type Invitation,
  invitationUrl,
  inviteFirstOwner,
  invitePerson,
  inviteToNewPassword,
  type NewAccount
} from './invitations.ts'
export { listInvitations, type OpenInvitation, withdrawInvitation } from './open-invitations.ts'
export {
  beginPasswordTry,
  changeRole,
  endPasswordTries,
  endSessions,
  findHalfSignedIn,
  findPerson,
  findPersonByEmail,
  listPeople,
  namesOfPeople,
  removePerson,
  removeSecondFactors
} from './people.ts'
export {
  MAX_EMAIL_CHARACTERS,
  MAX_NAME_CHARACTERS,
  MAX_PASSWORD_CHARACTERS,
  MIN_PASSWORD_CHARACTERS,
  type TeamPerson
} from './person.ts'
export { pruneTeam } from './prune-team.ts'
export {
  PERMISSIONS,
  PERMISSIONS_OF,
  type Permission,
  ROLES,
  type Role,
  rolesWith,
  STAFF_PERMISSIONS
} from './roles.ts'
export {
  ADDRESS_HEADER,
  createSignIn,
  GUESSABLE,
  SIGN_IN_PATH,
  SIGN_IN_ROUTES,
  type SignedIn,
  type SignIn
} from './sign-in.ts'
