import { Alert } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { serviceState } from '../../shared/api/service-state.ts'
import { useTexts } from '../../shared/texts/language.tsx'

/** There while the service does not answer. Reads are repeated meanwhile, so that the page goes on with it. */
export function ServiceBanner() {
  const state = useSyncExternalStore(serviceState.subscribe, serviceState.get)
  const { app } = useTexts()
  return (
    <div role="status">
      {state === 'down' && (
        <Alert color="orange" variant="outline" mb="md">
          {app.restarting}
        </Alert>
      )}
    </div>
  )
}
