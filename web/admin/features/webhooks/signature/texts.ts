import { areaTexts } from '../../../shared/texts/area-texts.ts'

export const useSignatureTexts = areaTexts({
  en: {
    lead: 'Paste what your receiver has: the secret, the headers, and the body. This page computes the signature in your browser and says what differs. Nothing of it is sent or kept.',
    insecure: 'Browsers compute signatures only on pages of https or of this machine. Open this page so.',
    input: 'What the receiver has',
    secret: 'Signing secret',
    secretHelp: 'It was shown when the endpoint was registered or its secret rolled: whsec_…',
    headers: 'Headers',
    headersHelp:
      'Each on its own line, as “Name: value”; or only the signature. For webhook-signature also webhook-id and webhook-timestamp.',
    body: 'Body',
    bodyHelp: 'Exactly the bytes that came, before anything parsed them.',
    ofDelivery: (id: string) => `This is the body of ${id}, as it was sent.`,
    check: 'Check',
    result: 'Result',
    waiting: 'Fill in the secret, a signature and the body.',
    noSignature: 'There is no signature in the headers: X-Svc-Signature, X-Svc-Signature-Next or webhook-signature.',
    noSecret: 'The secret is missing.',
    noBody: 'The body is missing.',
    right: (header: string) => `${header} is right: secret, body and signature belong together.`,
    wrong: (header: string) => `${header} is not right.`,
    given: 'Given',
    expected: 'Computed',
    reasons: {
      secretPrefix:
        'It was made with the secret without whsec_. For X-Svc-Signature the key is the whole secret as text, whsec_ included.',
      secretSpace:
        'It is right with a secret without the spaces around it. Trim what your receiver reads from its configuration.',
      secretEncoded:
        'It was made with the decoded bytes of the secret, as webhook-signature is. For X-Svc-Signature the key is the secret as text.',
      secretAsText:
        'It was made with the secret as text, as X-Svc-Signature is. For webhook-signature the key is what the base64 after whsec_ encodes.',
      compact:
        'The body was changed after it was signed: it is right without the spaces between its parts. Sign the bytes as they came, or JSON.stringify of what was parsed.',
      newline: 'The body has a line break at its end that was not signed.',
      noPrefix: 'The digest is right, but the header begins with its name: sha256= or v1, is missing.',
      base64: 'The digest is right, but it is written as base64. X-Svc-Signature is hexadecimal.',
      upperCase:
        'The digest is right, but in capital letters. X-Svc-Signature is in small ones: compare without regard to case, or write small ones.',
      idMissing: 'webhook-id is missing: it is part of what is signed.',
      timestampMissing: 'webhook-timestamp is missing: it is part of what is signed.',
      onlyBody: 'Only the body was signed. For webhook-signature it is id.timestamp.body.',
      secretForm: 'The secret does not look like one of ours: whsec_ and 44 characters of base64.',
      other:
        'Secret and body do not belong to this signature. Either the secret is that of another endpoint or an older one, or a byte of the body differs.'
    },
    old: (minutes: string) =>
      `webhook-timestamp is ${minutes} minutes off this computer’s clock. Receivers should refuse more than five; for a delivery of the past that is as it should be.`
  },
  de: {
    lead: 'Fügen Sie ein, was Ihr Empfänger hat: Geheimnis, Header und Inhalt. Diese Seite rechnet die Signatur in Ihrem Browser aus und sagt, was abweicht. Nichts davon wird gesendet oder aufbewahrt.',
    insecure:
      'Browser rechnen Signaturen nur auf Seiten über https oder von diesem Rechner. Öffnen Sie diese Seite so.',
    input: 'Was der Empfänger hat',
    secret: 'Signaturgeheimnis',
    secretHelp: 'Es war zu sehen, als der Endpunkt angelegt oder sein Geheimnis erneuert wurde: whsec_…',
    headers: 'Header',
    headersHelp:
      'Jeder in einer Zeile, als „Name: Wert“; oder nur die Signatur. Für webhook-signature auch webhook-id und webhook-timestamp.',
    body: 'Inhalt',
    bodyHelp: 'Genau die Bytes, die gekommen sind, bevor etwas sie gelesen hat.',
    ofDelivery: (id) => `Das ist der Inhalt von ${id}, wie er gesendet wurde.`,
    check: 'Prüfen',
    result: 'Ergebnis',
    waiting: 'Füllen Sie Geheimnis, Signatur und Inhalt aus.',
    noSignature: 'In den Headern ist keine Signatur: X-Svc-Signature, X-Svc-Signature-Next oder webhook-signature.',
    noSecret: 'Das Geheimnis fehlt.',
    noBody: 'Der Inhalt fehlt.',
    right: (header) => `${header} stimmt: Geheimnis, Inhalt und Signatur gehören zusammen.`,
    wrong: (header) => `${header} stimmt nicht.`,
    given: 'Angegeben',
    expected: 'Ausgerechnet',
    reasons: {
      secretPrefix:
        'Sie ist mit dem Geheimnis ohne whsec_ gemacht. Für X-Svc-Signature ist der Schlüssel das ganze Geheimnis als Text, mit whsec_.',
      secretSpace:
        'Sie stimmt mit einem Geheimnis ohne die Leerzeichen am Rand. Entfernen Sie sie, wenn Ihr Empfänger es aus seiner Konfiguration liest.',
      secretEncoded:
        'Sie ist mit den dekodierten Bytes des Geheimnisses gemacht, wie webhook-signature. Für X-Svc-Signature ist der Schlüssel das Geheimnis als Text.',
      secretAsText:
        'Sie ist mit dem Geheimnis als Text gemacht, wie X-Svc-Signature. Für webhook-signature ist der Schlüssel, was das base64 nach whsec_ bedeutet.',
      compact:
        'Der Inhalt ist nach dem Signieren verändert worden: Er stimmt ohne die Leerzeichen zwischen seinen Teilen. Nehmen Sie die Bytes, wie sie kamen, oder JSON.stringify des Gelesenen.',
      newline: 'Am Ende des Inhalts ist ein Zeilenumbruch, der nicht signiert war.',
      noPrefix: 'Der Hashwert stimmt, aber davor fehlt sein Name: sha256= oder v1,',
      base64: 'Der Hashwert stimmt, ist aber als base64 geschrieben. X-Svc-Signature ist hexadezimal.',
      upperCase:
        'Der Hashwert stimmt, aber in Großbuchstaben. X-Svc-Signature hat kleine: Vergleichen Sie ohne Rücksicht darauf, oder schreiben Sie kleine.',
      idMissing: 'webhook-id fehlt: Es gehört zu dem, was signiert wird.',
      timestampMissing: 'webhook-timestamp fehlt: Es gehört zu dem, was signiert wird.',
      onlyBody: 'Nur der Inhalt ist signiert. Für webhook-signature ist es id.timestamp.body.',
      secretForm: 'Das Geheimnis sieht nicht aus wie eines von uns: whsec_ und 44 Zeichen base64.',
      other:
        'Geheimnis und Inhalt gehören nicht zu dieser Signatur. Entweder ist es das Geheimnis eines anderen Endpunkts oder ein älteres, oder ein Byte des Inhalts ist anders.'
    },
    old: (minutes) =>
      `webhook-timestamp weicht ${minutes} Minuten von der Uhr dieses Rechners ab. Empfänger sollten mehr als fünf ablehnen; bei einer vergangenen Zustellung ist das in Ordnung.`
  }
})
