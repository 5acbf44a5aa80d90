import { areaTexts } from '../../shared/texts/area-texts.ts'

/** What every page of webhooks says. */
export const useWebhooksTexts = areaTexts({
  en: {
    tabs: { endpoints: 'Endpoints', deliveries: 'Deliveries', signature: 'Signature helper' },
    endpointStatuses: { enabled: 'Enabled', disabled: 'Disabled', failing: 'Failing' } as Record<string, string>,
    statuses: { delivered: 'Delivered', retrying: 'Waiting', failed: 'Failed' } as Record<string, string>,
    cancelled: 'Cancelled',
    test: 'Test',
    listener: 'Command line (perennial listen)',
    failures: {
      status: 'The response was not 2xx.',
      redirect: 'The response was a redirect, which is not followed. Register the address that it leads to.',
      timeout: 'No response came within 30 seconds. Answer first, and do slow work afterwards.',
      connect: 'Nobody answers at this address and port.',
      reset: 'The connection broke off before a response came.',
      tls: 'The certificate is not accepted, or the connection could not be encrypted.',
      dns: 'The name of the host is not known.',
      protocol: 'What answered does not speak HTTP.',
      address_refused: 'No connection was made: the address is private, or one of this machine.',
      interrupted: 'The service stopped during this try. It counts.',
      other: 'Something else. If the signing secret cannot be read, roll it and resend.'
    } as Record<string, string>
  },
  de: {
    tabs: { endpoints: 'Endpunkte', deliveries: 'Zustellungen', signature: 'Signaturhilfe' },
    endpointStatuses: { enabled: 'Eingeschaltet', disabled: 'Ausgeschaltet', failing: 'Scheitert' },
    statuses: { delivered: 'Zugestellt', retrying: 'Wartet', failed: 'Gescheitert' },
    cancelled: 'Abgebrochen',
    test: 'Test',
    listener: 'Befehlszeile (perennial listen)',
    failures: {
      status: 'Die Antwort war nicht 2xx.',
      redirect:
        'Die Antwort war eine Weiterleitung, der nicht gefolgt wird. Tragen Sie die Adresse ein, zu der sie führt.',
      timeout: 'Innerhalb von 30 Sekunden kam keine Antwort. Antworten Sie erst und erledigen Sie Langsames danach.',
      connect: 'Unter dieser Adresse und diesem Port antwortet niemand.',
      reset: 'Die Verbindung ist abgebrochen, bevor eine Antwort kam.',
      tls: 'Das Zertifikat wird nicht angenommen, oder die Verbindung ließ sich nicht verschlüsseln.',
      dns: 'Der Name des Hosts ist nicht bekannt.',
      protocol: 'Was geantwortet hat, spricht kein HTTP.',
      address_refused: 'Es wurde keine Verbindung aufgebaut: Die Adresse ist privat oder eine dieses Rechners.',
      interrupted: 'Der Dienst hat während dieses Versuchs angehalten. Er zählt.',
      other: 'Etwas anderes. Ist das Signaturgeheimnis nicht lesbar, erneuern Sie es und senden Sie noch einmal.'
    }
  }
})
