'use client'

import { LanguageSetting } from '@/components/settings/language-setting'
import { LineField } from '@/components/settings/line-field'
import { NotifySetting } from '@/components/settings/notify-setting'
import { Choice } from '@/components/ui/choice'
import { Setting } from '@/components/ui/setting'
import { usePreference } from '@/lib/browser/preferences'
import { t } from '@/lib/i18n/t'

const MAX_NAME_CHARS = 60
const MAX_PERSONA_CHARS = 1_000

/** How one writes, and what is said of oneself. */
export function General() {
  const [enter, setEnter] = usePreference('enterSends')
  const [titles, setTitles] = usePreference('titles')
  const [name, setName] = usePreference('personaName')
  const [persona, setPersona] = usePreference('persona')
  return (
    <>
      <LanguageSetting />
      <Setting id="enter">
        <Choice
          label={t('Enter key')}
          value={enter}
          onChange={setEnter}
          options={[
            { value: 'on', label: t('Send') },
            { value: 'off', label: t('New line') },
          ]}
        />
      </Setting>
      <Setting id="titles">
        <Choice
          label={t('Chat titles')}
          value={titles}
          onChange={setTitles}
          options={[
            { value: 'model', label: t('Written by the model') },
            { value: 'words', label: t('First words') },
          ]}
        />
      </Setting>
      <NotifySetting />
      <Setting id="persona" isWide>
        <div className="max-w-120 space-y-3">
          <LineField label={t('Name')} value={name} onChange={setName} maxLength={MAX_NAME_CHARS} />
          <LineField
            label={t('About you')}
            value={persona}
            onChange={setPersona}
            maxLength={MAX_PERSONA_CHARS}
            rows={3}
          />
        </div>
      </Setting>
    </>
  )
}
