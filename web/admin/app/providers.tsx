import { MantineProvider, MantineThemeProvider } from '@mantine/core'
import { Notifications, notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../shared/api/errors.ts'
import { createQueryClient } from '../shared/api/query-client.ts'
import { LanguageProvider, useTexts } from '../shared/texts/language.tsx'
import { styleNonce } from './style-nonce.ts'
import { cssVariables, theme } from './theme.ts'

/** What every page needs around it. */
export function Providers({ children }: { children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <LanguageProvider>
        <NamedNotifications />
        <Queries>{children}</Queries>
      </LanguageProvider>
    </MantineProvider>
  )
}

/** The buttons that close them have a name for screen readers. */
function NamedNotifications() {
  const { common } = useTexts()
  const closeButtonProps = { 'aria-label': common.close }
  return (
    <MantineThemeProvider theme={{ components: { Notification: { defaultProps: { closeButtonProps } } } }}>
      <Notifications position="bottom-right" />
    </MantineThemeProvider>
  )
}

function Queries({ children }: { children: ReactNode }) {
  const { errors } = useTexts()
  const [client] = useState(createQueryClient)
  client.getMutationCache().config.onError = (err, _variables, _result, mutation) => {
    // A form shows at its fields what was refused.
    if (mutation.meta?.inForm) return
    const isRefused = err instanceof ApiError && err.status < 500
    const message = err instanceof ApiError ? (errors.signIn[err.reason ?? ''] ?? err.message) : errors.unreachable
    notifications.show({ color: 'red', title: isRefused ? errors.refusedTitle : errors.title, message })
  }
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>
}
