import { Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useMe } from '../../shared/session/me.ts'
import { Section } from '../../shared/ui/section.tsx'
import { BackupCodes } from './backup-codes.tsx'
import { ConfirmSecondFactor } from './confirm-second-factor.tsx'
import { beginSecondFactor, endSecondFactor, type NewSecondFactor, newBackupCodes } from './requests.ts'
import { useAccountTexts } from './texts.ts'
import { WithPassword } from './with-password.tsx'

/** The authenticator app: set up, turned off, and the codes for those who have lost it. */
export function SecondFactor() {
  const me = useMe()
  const texts = useAccountTexts()
  const [begun, setBegun] = useState<NewSecondFactor | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const isOn = me?.person.two_factor === true
  return (
    <Section title={texts.app}>
      <Text size="sm">{isOn ? texts.appOn : texts.appOff}</Text>
      <Group gap="xs">
        {isOn ? (
          <>
            <WithPassword
              label={texts.newBackupCodes}
              text={texts.newBackupText}
              send={newBackupCodes}
              onDone={({ backupCodes }) => setCodes(backupCodes)}
            />
            <WithPassword
              label={texts.turnOff}
              text={texts.turnOffText}
              send={endSecondFactor}
              done={texts.turnedOff}
              isHarmful
            />
          </>
        ) : (
          <WithPassword label={texts.turnOn} text={texts.appOff} send={beginSecondFactor} onDone={setBegun} />
        )}
      </Group>
      {begun && (
        <ConfirmSecondFactor
          uri={begun.totpURI}
          onClose={() => setBegun(null)}
          onDone={() => {
            setCodes(begun.backupCodes)
            setBegun(null)
          }}
        />
      )}
      {codes && <BackupCodes codes={codes} onClose={() => setCodes(null)} />}
    </Section>
  )
}
