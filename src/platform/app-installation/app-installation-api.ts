import type { PlatformClient } from '../wire/client.ts'
import type { PlatformResult } from '../wire/outcome.ts'
import { GrantedScopes } from './documents.ts'

export type AppInstallationApi = {
  /** The access scopes that the shop's people have granted to our app. */
  scopes(): Promise<PlatformResult<string[]>>
}

export function createAppInstallationApi(client: PlatformClient): AppInstallationApi {
  return {
    scopes: () =>
      client.query(GrantedScopes, {}, (data) =>
        data
          .at('currentAppInstallation')
          .list('accessScopes')
          .map((scope) => scope.text('handle'))
      )
  }
}
