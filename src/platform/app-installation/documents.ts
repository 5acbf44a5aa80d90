import { document } from '../wire/document.ts'

export const GrantedScopes = document('query GrantedScopes { currentAppInstallation { accessScopes { handle } } }')
