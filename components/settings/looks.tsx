'use client'

import { Choice } from '@/components/ui/choice'
import { Setting } from '@/components/ui/setting'
import { usePreference } from '@/lib/browser/preferences'
import { t } from '@/lib/i18n/t'

/** How the page looks. Each is in force at once. */
export function Looks() {
  const [theme, setTheme] = usePreference('theme')
  const [density, setDensity] = usePreference('density')
  const [text, setText] = usePreference('text')
  const [motion, setMotion] = usePreference('motion')
  const [ledger, setLedger] = usePreference('ledger')
  const [sidebar, setSidebar] = usePreference('sidebar')
  return (
    <>
      <Setting id="theme">
        <Choice
          label={t('Theme')}
          value={theme}
          onChange={setTheme}
          options={[
            { value: 'light', label: t('Light') },
            { value: 'dark', label: t('Dark') },
            { value: 'system', label: t('Same as this device') },
          ]}
        />
      </Setting>
      <Setting id="density">
        <Choice
          label={t('Density')}
          value={density}
          onChange={setDensity}
          options={[
            { value: 'comfortable', label: t('Comfortable') },
            { value: 'compact', label: t('Compact') },
          ]}
        />
      </Setting>
      <Setting id="text">
        <Choice
          label={t('Text size')}
          value={text}
          onChange={setText}
          options={[
            { value: 'small', label: t('Small') },
            { value: 'normal', label: t('Normal') },
            { value: 'large', label: t('Large') },
            { value: 'larger', label: t('Larger') },
          ]}
        />
      </Setting>
      <Setting id="motion">
        <Choice
          label={t('Motion')}
          value={motion}
          onChange={setMotion}
          options={[
            { value: 'system', label: t('Same as this device') },
            { value: 'reduced', label: t('None') },
          ]}
        />
      </Setting>
      <Setting id="ledger">
        <Choice
          label={t('Cost ledger')}
          value={ledger}
          onChange={setLedger}
          options={[
            { value: 'shown', label: t('Shown') },
            { value: 'hidden', label: t('Hidden') },
          ]}
        />
      </Setting>
      <Setting id="sidebar">
        <Choice
          label={t('Sidebar')}
          value={sidebar}
          onChange={setSidebar}
          options={[
            { value: 'open', label: t('Shown') },
            { value: 'closed', label: t('Hidden') },
          ]}
        />
      </Setting>
    </>
  )
}
