'use client'

import { useHasSearchFailed } from '@/components/chat/asking/last-search'
import { Choices, Switch } from '@/components/chat/composer/choices'
import type { useSetup } from '@/lib/browser/chat-setup'
import { formatMoney } from '@/lib/browser/format/cost'
import type { ModelCard } from '@/lib/browser/models'
import type { Sources } from '@/lib/browser/storage/records'
import { WEB_SOURCE_PRICE } from '@/lib/contract/prices'
import { t } from '@/lib/i18n/t'

type SourcesPanelProps = { setup: ReturnType<typeof useSetup>; model: ModelCard | undefined }

/** Where an answer may look things up, and what each way costs. */
export function SourcesPanel({ setup, model }: SourcesPanelProps) {
  const { settings, change } = setup
  const hasFailed = useHasSearchFailed()
  const price = formatMoney(WEB_SOURCE_PRICE)
  const sources = settings.sources ?? {}
  const set = (changes: { [Name in keyof Sources]: Sources[Name] | undefined }) => {
    const next = Object.entries({ ...sources, ...changes }).filter(
      ([, value]) => value !== undefined && value !== false,
    )
    const { sources: _, ...rest } = settings
    change({ settings: next.length > 0 ? { ...rest, sources: Object.fromEntries(next) as Sources } : rest })
  }
  if (model && !model.supportsWebSearch && !model.supportsXSearch) {
    return (
      <p className="p-2 text-14 text-ink-2">
        {t('{model} doesn’t support sources. Answers come from the model’s own knowledge.', { model: model.name })}
      </p>
    )
  }
  return (
    <div>
      {hasFailed && (
        <p role="note" className="mx-2 mt-2 mb-1 border-s-2 border-brass ps-2.5 text-13 text-brass">
          {t('The last web search failed. Answers may not use the web.')}
        </p>
      )}
      <Choices
        legend={t('Web search')}
        name="web"
        value={sources.web ?? 'off'}
        onChange={(web) => set({ web: web === 'off' ? undefined : web })}
        choices={[
          { value: 'off', label: t('Off'), hint: t('The model answers without searching the web.') },
          {
            value: 'auto',
            label: t('Auto'),
            hint: t('Searches when useful. {price} if results are found.', { price }),
          },
          {
            value: 'on',
            label: t('On'),
            hint: t('Searches for every message. {price} if results are found.', { price }),
          },
        ]}
      />
      <hr className="my-1.5 border-line" />
      <Switch
        label={t('Read links')}
        hint={t('Reads up to 5 links in your message instead of searching. {price} per page.', { price })}
        isOn={sources.readsLinks === true}
        onChange={(readsLinks) => set({ readsLinks })}
      />
      {model?.supportsXSearch && (
        <Switch
          label={t('Search X')}
          hint={t('Uses the model vendor’s X search instead. {price} per result, up to 10 results.', { price })}
          isOn={sources.searchesX === true}
          onChange={(searchesX) => set({ searchesX })}
        />
      )}
    </div>
  )
}
