'use client'

import { CircleAlert, Plus, TriangleAlert, X } from 'lucide-react'
import {
  type ComponentProps,
  createContext,
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useId,
  useState,
} from 'react'
import { paramText, readText, type TextType, type Unit } from '@/components/rpc/form/text-to-value'
import { emptyOf, printJson } from '@/components/rpc/form/value'
import type { ParamDoc, ParamPath, ParamProblem, Type } from '@/components/rpc/methods/types'
import { IconButton } from '@/components/ui/button'
import { Select as AnySelect } from '@/components/ui/form-fields'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { plural, t } from '@/lib/i18n/t'

export type TypedFieldProps<Kind extends Type['kind']> = FieldProps & { type: Type & { kind: Kind } }

export type FieldProps = {
  doc: ParamDoc
  path: ParamPath
  value: unknown
  // `undefined` removes the field.
  onChange: (value: unknown) => void
  // The label of a list's entry is for screen readers only.
  isEntry?: boolean
}

type ControlProps = { id: string; 'aria-describedby': string; 'aria-invalid': boolean; 'aria-required': boolean }

type FieldFrameProps = FieldProps & {
  aside?: ReactNode
  note?: ReactNode
  children: (control: ControlProps) => ReactNode
}

export function FieldFrame({ doc, path, onChange, isEntry = false, aside, note, children }: FieldFrameProps) {
  const id = useId()
  const problems = useForm().problemsAt(path)
  const isInvalid = problems.some(({ severity }) => severity === 'error')
  return (
    <div className="min-w-0">
      <div className={isEntry ? 'sr-only' : 'mb-1 flex min-h-6 items-center gap-2'}>
        <Label htmlFor={id} doc={doc} />
        {!isEntry && aside}
      </div>
      {children({
        id,
        'aria-describedby': `${id}-note ${id}-problems ${id}-help`,
        'aria-invalid': isInvalid,
        'aria-required': doc.isRequired,
      })}
      <div id={`${id}-note`} className="text-12 text-ink-3 tabular-nums wrap-anywhere not-empty:mt-1">
        {note}
      </div>
      <Problems id={`${id}-problems`} problems={problems} onFix={onChange} />
      <Help id={`${id}-help`} text={doc.help} className={isEntry ? 'sr-only' : 'mt-1'} />
    </div>
  )
}

type HelpProps = { id: string; text: string | undefined; className: string }

const Help = ({ id, text, className }: HelpProps) =>
  text && (
    <p id={id} lang="en" dir="ltr" className={`text-13 text-ink-3 rtl:text-end ${className}`}>
      {text}
    </p>
  )

function Label({ htmlFor, doc }: { htmlFor?: string; doc: ParamDoc }) {
  const name = doc.name.toLowerCase() === doc.label.toLowerCase() ? undefined : doc.name
  const Tag = (htmlFor === undefined ? 'span' : 'label') as 'label'
  return (
    <>
      <span className="flex min-w-0 items-baseline gap-2">
        <Tag htmlFor={htmlFor} lang="en" dir="ltr" className="text-13 font-medium text-ink">
          {doc.label}
        </Tag>
        {name !== undefined && (
          <span dir="ltr" className="truncate font-mono text-12 text-ink-3">
            {name}
          </span>
        )}
      </span>
      <span className="ms-auto shrink-0 text-12 text-ink-3">{doc.isRequired ? t('required') : t('optional')}</span>
    </>
  )
}

type ProblemsProps = { id: string; problems: readonly ParamProblem[]; onFix: (value: unknown) => void }

export function Problems({ id, problems, onFix }: ProblemsProps) {
  return (
    <div id={id}>
      {problems.map(({ message, severity, fix }) => {
        const Icon = severity === 'error' ? CircleAlert : TriangleAlert
        return (
          <div key={message} className="mt-1 flex flex-wrap items-center gap-x-2 text-13">
            <p className={`flex min-w-0 gap-1.5 wrap-anywhere ${severity === 'error' ? 'text-danger' : 'text-ink-2'}`}>
              <Icon aria-hidden="true" className="mt-px size-4 shrink-0" strokeWidth={1.75} />
              <span>
                <span className="sr-only">{severity === 'error' ? t('Error:') : t('Warning:')} </span>
                {message}
              </span>
            </p>
            {fix && <SmallButton onClick={() => onFix(fix.value)}>{fix.label}</SmallButton>}
          </div>
        )
      })}
    </div>
  )
}

type GroupFrameProps = FieldProps & {
  aside?: ReactNode
  // A field inside shows the problems of this path.
  hidesProblems?: boolean
  children: ReactNode
}

// While it is optional and absent it is one line with a button to add it.
export function GroupFrame({
  doc,
  path,
  value,
  onChange,
  isEntry = false,
  aside,
  hidesProblems = false,
  children,
}: GroupFrameProps) {
  const id = useId()
  const problems = useForm().problemsAt(path)
  const hasValue = value !== undefined && value !== null
  return (
    <fieldset className="min-w-0" aria-describedby={`${id}-problems ${id}-help`}>
      <legend lang="en" className="sr-only">
        {doc.label}
      </legend>
      {!isEntry && (
        <div className="flex min-h-7 items-center gap-2">
          <Label doc={doc} />
          {hasValue && !doc.isRequired && (
            <IconButton
              label={t('Remove {field}', { field: doc.label })}
              className="-my-1 -me-2"
              onClick={() => onChange(undefined)}
            >
              <X aria-hidden="true" />
            </IconButton>
          )}
        </div>
      )}
      <Help id={`${id}-help`} text={doc.help} className={isEntry ? 'sr-only' : 'mb-1.5'} />
      <Problems id={`${id}-problems`} problems={hidesProblems ? [] : problems} onFix={onChange} />
      {hasValue ? (
        <>
          {aside && <div className="mb-2">{aside}</div>}
          {children}
        </>
      ) : (
        <SmallButton className="-ms-1.5" onClick={() => onChange(emptyOf(doc.type))}>
          <Plus aria-hidden="true" />
          {t('Add {field}', { field: doc.label.toLowerCase() })}
        </SmallButton>
      )}
    </fieldset>
  )
}

const MAX_NAMED = 8
const MAX_NAME_CHARS = 40

type ExtraValuesProps = { names: readonly string[]; path?: ParamPath; onRemove?: (name: string) => void }

export function ExtraValues({ names, path, onRemove }: ExtraValuesProps) {
  const { showJson, problemsAt } = useForm()
  if (names.length === 0) return null
  const more = names.length - MAX_NAMED
  const problems = path ? names.slice(0, MAX_NAMED).flatMap((name) => problemsAt([...path, name])) : []
  return (
    <div className="rounded-control bg-sunken px-3 py-2 text-13 text-ink-2">
      <p>{t('Not shown in this form, but sent unchanged:')}</p>
      <ul className="mt-1 flex flex-wrap items-center gap-x-1 gap-y-0.5">
        {names.slice(0, MAX_NAMED).map((name) => (
          <li key={name} className="flex items-center">
            <code dir="auto" className="font-mono text-12 wrap-anywhere">
              {name.slice(0, MAX_NAME_CHARS)}
            </code>
            {onRemove && (
              <SmallButton
                aria-label={t('Remove {field}', { field: name.slice(0, MAX_NAME_CHARS) })}
                className="text-ink-3"
                onClick={() => onRemove(name)}
              >
                <X aria-hidden="true" />
              </SmallButton>
            )}
          </li>
        ))}
        {more > 0 && <li>{plural(more, { one: 'and {count} more', other: 'and {count} more' })}</li>}
      </ul>
      {problems.map(({ message }) => (
        <p key={message} className="mt-1 wrap-anywhere">
          {message}
        </p>
      ))}
      <SmallButton className="-ms-1.5" onClick={showJson}>
        {t('Show as JSON')}
      </SmallButton>
    </div>
  )
}

type SelectProps = Partial<ControlProps> & {
  label?: string
  value: string
  options: readonly { value: string; label: string }[]
  onChange: (value: string) => void
  className?: string
}

export const Select = ({ label, className = '', ...control }: SelectProps) => (
  <span className={`block ${className}`}>
    <AnySelect {...control} aria-label={label} className={SELECT} />
  </span>
)

const CHARS_IN_A_LINE = 36
const MAX_ROWS = 8

type LongTextProps = ControlProps & {
  value: string
  onChange: (text: string) => void
  placeholder?: string | undefined
}

// One value that wraps over several lines: Enter does not break the line.
export function LongText({ value, onChange, ...control }: LongTextProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) event.preventDefault()
  }
  const rows = Math.min(MAX_ROWS, Math.max(1, Math.ceil(value.length / CHARS_IN_A_LINE)))
  return (
    <textarea
      {...control}
      value={value}
      dir="auto"
      rows={rows}
      spellCheck={false}
      autoCapitalize="off"
      autoComplete="off"
      autoCorrect="off"
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={onKeyDown}
      className={`${INPUT} field-sizing-content max-h-48 resize-none break-all`}
    />
  )
}

type TextInputProps = Omit<ComponentProps<'input'>, 'onChange'> & { onChange: (text: string) => void }

export const TextInput = ({ onChange, ...props }: TextInputProps) => (
  <input
    dir="auto"
    spellCheck={false}
    autoComplete="off"
    autoCapitalize="off"
    onChange={(event) => onChange(event.target.value)}
    className={INPUT}
    {...props}
  />
)

/** Holds the text as typed while it still means `value`: `1.` is not made `1` while typing. */
export function useTyped(value: unknown, shown: string): [text: string, show: (text: string, value: unknown) => void] {
  const [typed, setTyped] = useState<{ text: string; value: unknown }>()
  const isCurrent = typed !== undefined && isSame(typed.value, value)
  return [isCurrent ? typed.text : shown, (text, next) => setTyped({ text, value: next })]
}

export function useParamText(type: TextType, { doc, value, onChange }: FieldProps, unit?: Unit) {
  const [text, show] = useTyped(value, paramText(type, value, unit) ?? '')
  const change = (next: string, by = unit) => {
    const read = next === '' && !doc.isRequired ? undefined : readText(type, next, by)
    show(next, read)
    onChange(read)
  }
  return { text, change, show }
}

// Removed and null are the same to the person who types.
function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one ?? undefined, other ?? undefined)) return true
  if (typeof one !== 'object' || typeof other !== 'object') return false
  const printed = printJson(one, 0)
  return printed !== undefined && printed === printJson(other, 0)
}

type FormFacts = {
  network: RpcNetwork
  // Address of the signed-in EVM wallet, with its checksum.
  wallet: string | undefined
  problemsAt: (path: ParamPath) => readonly ParamProblem[]
  hasProblemsIn: (path: ParamPath) => boolean
  showJson: () => void
}

const FormContext = createContext<FormFacts | undefined>(undefined)

export const FormFactsProvider = FormContext.Provider

export function useForm(): FormFacts {
  const facts = useContext(FormContext)
  if (!facts) throw new Error('a field stands outside of its form')
  return facts
}

export function problemIndex(problems: readonly ParamProblem[]): Pick<FormFacts, 'problemsAt' | 'hasProblemsIn'> {
  const at = new Map<string, ParamProblem[]>()
  const inside = new Set<string>()
  for (const problem of problems) {
    at.set(pathKey(problem.path), [...(at.get(pathKey(problem.path)) ?? []), problem])
    for (let length = 0; length <= problem.path.length; length += 1) inside.add(pathKey(problem.path.slice(0, length)))
  }
  return { problemsAt: (path) => at.get(pathKey(path)) ?? NONE, hasProblemsIn: (path) => inside.has(pathKey(path)) }
}

const NONE: readonly ParamProblem[] = []
const pathKey = (path: ParamPath): string => JSON.stringify(path)

// Sixteen pixels on touch, where browsers zoom into smaller text.
const CONTROL =
  'block min-h-9 w-full min-w-0 rounded-control border border-control bg-surface px-2.5 py-1.75 leading-4.5 ' +
  'placeholder:text-ink-3 aria-invalid:border-danger pointer-coarse:min-h-11 pointer-coarse:py-2.5 pointer-coarse:text-16 pointer-coarse:leading-5.5'

const INPUT = `${CONTROL} font-mono text-13`

const SELECT = `${CONTROL} appearance-none pe-8 font-sans text-14`

const SMALL_BUTTON =
  'inline-flex min-h-7 shrink-0 items-center gap-1 rounded-control px-1.5 text-13 font-medium text-accent hover:bg-hover ' +
  'pointer-coarse:min-h-11 pointer-coarse:px-2.5 [&>svg]:size-3.5 [&>svg]:stroke-2'

export const SmallButton = ({ className = '', ...props }: ComponentProps<'button'>) => (
  <button type="button" className={`${SMALL_BUTTON} ${className}`} {...props} />
)

export const NEST = 'mt-1.5 space-y-4 border-s border-line ps-3.5'

export const CARD = 'min-w-0 rounded-control border border-line px-3 py-2.5'
