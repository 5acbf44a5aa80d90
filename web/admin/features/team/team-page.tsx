import { useParams } from 'react-router'
import { May, useMay } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { NoSuchPart } from '../../shared/ui/no-such-part.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { PageTabs } from '../../shared/ui/page-tabs.tsx'
import { Changes } from './changes/changes.tsx'
import { Invitations } from './people/invitations.tsx'
import { InviteButton } from './people/invite-button.tsx'
import { People } from './people/people.tsx'
import { useTeamTexts } from './texts.ts'

/** Who signs in to this interface, and what they changed. It is of the whole installation. */
export function TeamPage() {
  const { pages } = useTexts()
  const { tabs } = useTeamTexts()
  const { part = 'people' } = useParams()
  const mayInstall = useMay('install')
  return (
    <Page
      title={pages.team}
      aside={
        <May permission="install">
          <InviteButton />
        </May>
      }
    >
      {mayInstall && (
        <PageTabs
          label={pages.team}
          tabs={[
            { path: 'team', name: tabs.people },
            { path: 'team/changes', name: tabs.changes }
          ]}
        />
      )}
      {part === 'people' ? (
        <>
          <People />
          {mayInstall && <Invitations />}
        </>
      ) : part === 'changes' && mayInstall ? (
        <Changes />
      ) : (
        <NoSuchPart />
      )}
    </Page>
  )
}
