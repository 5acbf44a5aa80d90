import { areaTexts } from '../../shared/texts/area-texts.ts'

export const useInvitationTexts = areaTexts({
  en: {
    title: 'Create your account',
    text: (role: string) => `You are invited with the role ${role}.`,
    name: 'Name',
    email: 'E-mail address',
    password: 'Password',
    submit: 'Create account',
    newPasswordTitle: 'Choose a new password',
    savePassword: 'Save the password',
    missing: 'This address has no invitation. Open the link that you were given.',
    refused: 'This invitation cannot be used',
    isOver: 'This link has been used or withdrawn, or is too old: ask an owner for another one.'
  },
  de: {
    title: 'Konto anlegen',
    text: (role) => `Sie sind eingeladen mit der Rolle ${role}.`,
    name: 'Name',
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    submit: 'Konto anlegen',
    newPasswordTitle: 'Neues Passwort wählen',
    savePassword: 'Passwort speichern',
    missing: 'Diese Adresse enthält keine Einladung. Öffnen Sie den Link, den Sie bekommen haben.',
    refused: 'Diese Einladung kann nicht verwendet werden',
    isOver: 'Dieser Link wurde verwendet oder zurückgezogen oder ist zu alt: Bitten Sie einen Inhaber um einen neuen.'
  }
})
