'use client'

import { useState } from 'react'
import { Field } from '@/components/characters/field'
import { PERSONA_LIMITS } from '@/lib/browser/character-prompt'
import { usePreference } from '@/lib/browser/preferences'
import { t } from '@/lib/i18n/t'

/** As cards write it. */
const USER: string = '{{user}}'

/** Who the person is to characters. It goes out with questions to them, and to nobody else. */
export function PersonaNote() {
  const [isOpen, setIsOpen] = useState(false)
  const [name] = usePreference('personaName')
  return (
    <div className="mt-4">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="min-h-9 rounded-control text-13 text-accent hover:underline pointer-coarse:min-h-11"
      >
        {name.trim() ? t('Your persona: {name}', { name: name.trim() }) : t('Set your persona')}
      </button>
      {isOpen && <PersonaFields />}
    </div>
  )
}

/** The same, always open: for settings. */
function PersonaFields() {
  const [name, setName] = usePreference('personaName')
  const [about, setAbout] = usePreference('persona')
  return (
    <div className="mt-2 space-y-3">
      <Field
        label={t('Your name')}
        hint={t('Replaces {user} in the text of characters in this browser.', { user: USER })}
        maxLength={PERSONA_LIMITS.name}
        value={name}
        onChange={setName}
      />
      <Field
        label={t('About you')}
        hint={t('Stored in this browser. Sent to the model with each message to a character.')}
        maxLength={PERSONA_LIMITS.about}
        rows={3}
        value={about}
        onChange={setAbout}
      />
    </div>
  )
}
