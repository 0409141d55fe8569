'use client'

import type { useSetup } from '@/components/chat/asking/setup'
import { Choices } from '@/components/chat/composer/choices'
import type { Effort, ModelCard } from '@/lib/browser/models'
import { msg, t } from '@/lib/i18n/t'

type ThinkPanelProps = { setup: ReturnType<typeof useSetup>; model: ModelCard }

/** How much a model that reasons thinks before it answers. */
export function ThinkPanel({ setup, model }: ThinkPanelProps) {
  const { settings, change } = setup
  const set = (value: Effort | 'own' | 'off') => {
    const { effort: _, isThinkingOff: __, ...rest } = settings
    if (value === 'off') change({ settings: { ...rest, isThinkingOff: true } })
    else change({ settings: value === 'own' ? rest : { ...rest, effort: value } })
  }
  return (
    <Choices<Effort | 'own' | 'off'>
      legend={t('Thoughts count as output, and are paid like it.')}
      name="think"
      value={settings.isThinkingOff ? 'off' : (settings.effort ?? 'own')}
      onChange={set}
      choices={[
        { value: 'own', label: t('As the model does'), hint: t('Nothing is said about it.') },
        ...model.efforts.map((effort) => ({
          value: effort,
          label: t(EFFORTS[effort].label),
          hint: t(EFFORTS[effort].hint),
        })),
        { value: 'off', label: t('Off'), hint: t('Answers at once, where the model can.') },
      ]}
    />
  )
}

const EFFORTS: Record<Effort, { label: string; hint: string }> = {
  minimal: { label: msg('Minimal'), hint: msg('A moment, for simple questions.') },
  low: { label: msg('Low'), hint: msg('Short thoughts.') },
  medium: { label: msg('Medium'), hint: msg('For most problems.') },
  high: { label: msg('High'), hint: msg('Long thoughts: slower and dearer.') },
}
