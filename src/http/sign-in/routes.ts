// Every route by which people sign in, one line each; those of the library are one entry.
export { acceptInvitationRoute } from './invitation/accept-invitation.ts'
export { showInvitationRoute } from './invitation/show-invitation.ts'
export { libraryRoutes } from './library-routes.ts'
