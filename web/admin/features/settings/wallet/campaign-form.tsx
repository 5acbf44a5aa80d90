import { SimpleGrid, Switch, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { FormParts } from '../../../shared/forms/form-parts.tsx'
import { enteredInstant, timeOf } from '../../../shared/forms/time-field.ts'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { useTexts } from '../../../shared/texts/language.tsx'
import { addCampaign, type Campaign, changeCampaign, readCampaigns } from './queries.ts'
import { useWalletTexts } from './texts.ts'

/** A sale that passes show. Null: a new one. */
export function CampaignForm({ campaign, onClose }: { campaign: Campaign | null; onClose: () => void }) {
  const { id, timezone } = useKnownStore()
  const { sales: texts } = useWalletTexts()
  const { common } = useTexts()
  const form = useForm({
    initialValues: {
      title: campaign?.title ?? '',
      text: campaign?.text ?? '',
      image: campaign?.image ?? '',
      enabled: campaign?.enabled ?? true,
      starts_at: timeOf(campaign?.starts_at, timezone),
      ends_at: timeOf(campaign?.ends_at, timezone)
    }
  })
  const submit = useSubmit(form, {
    send: (values) => {
      const body = {
        ...values,
        starts_at: enteredInstant(values.starts_at, campaign?.starts_at, timezone),
        ends_at: enteredInstant(values.ends_at, campaign?.ends_at, timezone)
      }
      return campaign ? changeCampaign(id, campaign.id, body) : addCampaign(id, body)
    },
    done: campaign ? texts.saved : texts.added,
    onDone: onClose,
    ...(campaign && {
      unlessChanged: {
        opened: contentOf(campaign),
        read: async () => contentOf((await readCampaigns(id)).find((one) => one.id === campaign.id))
      }
    })
  })
  return (
    <FormParts submitLabel={campaign ? common.save : texts.add} submit={submit} onClose={onClose}>
      <TextInput label={texts.name} required data-autofocus {...form.getInputProps('title')} />
      <Textarea
        label={texts.says}
        description={texts.saysHelp}
        autosize
        minRows={2}
        maxRows={8}
        {...form.getInputProps('text')}
      />
      <TextInput label={texts.image} description={texts.imageHelp} {...form.getInputProps('image')} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          type="datetime-local"
          label={texts.starts}
          description={texts.startsHelp(timezone)}
          {...form.getInputProps('starts_at')}
        />
        <TextInput
          type="datetime-local"
          label={texts.ends}
          description={texts.endsHelp(timezone)}
          {...form.getInputProps('ends_at')}
        />
      </SimpleGrid>
      <Switch
        label={texts.enabled}
        description={texts.enabledHelp}
        {...form.getInputProps('enabled', { type: 'checkbox' })}
      />
    </FormParts>
  )
}

/** What an editor would lose. That it begins or ends by its dates is no change of somebody else. */
function contentOf(campaign: Campaign | undefined) {
  if (!campaign) return null
  const { title, text, image, enabled, starts_at, ends_at } = campaign
  return { title, text, image, enabled, starts_at, ends_at }
}
