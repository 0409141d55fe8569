import { useId } from 'react'
import { CodeText } from '@/components/docs/code-frame'
import { CopyCode } from '@/components/docs/copy-code'
import { SAMPLE_LANGUAGES, type Sample } from '@/lib/contract/reference'
import { t } from '@/lib/i18n/t'

/** One program in several languages. Style sheets alone choose the visible one, so that it works without scripts. */
export function Samples({ samples }: { samples: readonly Sample[] }) {
  const name = useId()
  return (
    <div className="code-block docs-code docs-samples rounded-card border border-line bg-sunken">
      <div className="flex items-center border-b border-line ps-1 pe-1">
        <div role="radiogroup" aria-label={t('Language')} className="flex flex-1">
          {samples.map(({ language }, at) => (
            <label
              key={language}
              className="relative inline-flex min-h-10 items-center px-3 text-13 text-ink-2 select-none hover:text-ink has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent pointer-coarse:min-h-11"
            >
              <input
                type="radio"
                name={name}
                value={language}
                defaultChecked={at === 0}
                className="peer sr-only"
                data-docs-language=""
              />
              <span className="absolute inset-x-2 bottom-[-1px] h-0.5 bg-accent opacity-0 peer-checked:opacity-100 forced-colors:peer-checked:bg-[Highlight]" />
              {SAMPLE_LANGUAGES[language]}
            </label>
          ))}
        </div>
        <CopyCode />
      </div>
      {samples.map(({ language, code }) => (
        <div key={language} data-sample={language} className="hidden">
          <CodeText code={code} language={language} />
        </div>
      ))}
    </div>
  )
}
