import { HighlightStyle } from '@codemirror/language'
import {
  closeSearchPanel,
  findNext,
  findPrevious,
  getSearchQuery,
  SearchQuery,
  search,
  searchKeymap,
  setSearchQuery,
} from '@codemirror/search'
import { type Extension, Prec } from '@codemirror/state'
import { EditorView, keymap, type Panel, runScopeHandlers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { t } from '@/lib/i18n/t'

const PANEL_FIELD = {
  font: 'inherit',
  minHeight: '2rem',
  borderRadius: 'var(--radius-control)',
  border: '1px solid var(--color-control)',
  background: 'var(--color-surface)',
  color: 'inherit',
  padding: '0 0.5rem',
}

export const codeTheme: Extension = EditorView.theme({
  '&': { color: 'var(--color-ink)', fontSize: '0.8125rem', backgroundColor: 'transparent', minWidth: '0' },
  '&.cm-focused': {
    outline: '2px solid var(--color-accent)',
    outlineOffset: '1px',
    borderRadius: 'var(--radius-control)',
  },
  '.cm-scroller': {
    fontFamily: 'var(--font-mono)',
    fontVariantLigatures: 'none',
    lineHeight: '1.25rem',
    scrollbarWidth: 'thin',
    scrollbarColor: 'var(--color-line) transparent',
    overscrollBehavior: 'auto',
  },
  '.cm-content': { padding: '0.5rem 0', caretColor: 'var(--color-ink)' },
  '.cm-line': { padding: '0 0.75rem' },
  // A phone zooms into a field of smaller letters.
  '@media (pointer: coarse)': { '&.cm-editable': { fontSize: '1rem' } },
  '.cm-cursor': { borderLeftColor: 'var(--color-ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--color-accent-soft)',
  },
  '.cm-gutters': {
    backgroundColor: 'transparent',
    color: 'var(--color-ink-3)',
    border: 'none',
    paddingInlineStart: '0.25rem',
  },
  '.cm-foldGutter .cm-gutterElement': {
    cursor: 'pointer',
    width: '1rem',
    textAlign: 'center',
    color: 'var(--color-ink-3)',
  },
  '.cm-foldGutter .cm-gutterElement:hover': { color: 'var(--color-ink)' },
  '.cm-foldPlaceholder': {
    font: 'inherit',
    fontSize: '0.75rem',
    background: 'var(--color-hover)',
    border: '1px solid var(--color-line)',
    borderRadius: '4px',
    color: 'var(--color-ink-2)',
    margin: '0 0.25rem',
    padding: '0 0.375rem',
    cursor: 'pointer',
  },
  '.cm-foldPlaceholder:hover': { color: 'var(--color-ink)', borderColor: 'var(--color-control)' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--color-hover)',
    outline: '1px solid var(--color-control)',
  },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': {
    backgroundColor: 'transparent',
    color: 'var(--color-danger)',
  },
  '.cm-specialChar': { color: 'var(--color-danger)' },
  '.cm-searchMatch': { backgroundColor: 'var(--color-accent-soft)', outline: '1px solid var(--color-accent)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--color-accent)', color: 'var(--color-on-accent)' },
  '.cm-searchMatch-selected *': { color: 'inherit' },
  '.cm-panels': { backgroundColor: 'var(--color-surface)', color: 'var(--color-ink)', zIndex: '2' },
  '.cm-panels-top': { borderBottom: '1px solid var(--color-line)', borderRadius: '6px 6px 0 0' },
  '.cm-find': { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '0.25rem', padding: '0.375rem' },
  '.cm-find input': { ...PANEL_FIELD, flex: '1 1 8rem', minWidth: '0', fontFamily: 'var(--font-mono)' },
  '.cm-find button': {
    ...PANEL_FIELD,
    minWidth: '2rem',
    border: '1px solid transparent',
    background: 'transparent',
    color: 'var(--color-ink-2)',
  },
  '.cm-find button:hover': { background: 'var(--color-hover)', color: 'var(--color-ink)' },
  '.cm-find button[aria-pressed="true"]': { color: 'var(--color-accent)', borderColor: 'var(--color-accent)' },
  '.cm-find :focus-visible': { outline: '2px solid var(--color-accent)', outlineOffset: '1px' },
  '.cm-find [role="status"]': { color: 'var(--color-ink-3)', padding: '0 0.25rem' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--color-danger) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--color-control) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--color-surface)',
    color: 'var(--color-ink)',
    border: '1px solid var(--color-line)',
    borderRadius: 'var(--radius-control)',
    boxShadow: 'var(--shadow-over)',
    maxWidth: 'min(32rem, 90vw)',
    overflowWrap: 'anywhere',
  },
  '.cm-diagnostic': { padding: '0.375rem 0.625rem', fontFamily: 'var(--font-sans)', fontSize: '0.8125rem' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--color-danger)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--color-control)' },
  '.cm-code-hint': {
    marginInlineStart: '1.5ch',
    color: 'var(--color-ink-2)',
    fontFamily: 'var(--font-sans)',
    userSelect: 'none',
  },
  '.cm-code-key': { color: 'var(--color-accent)' },
  '.cm-code-number': { color: 'var(--color-ok)' },
  '.cm-code-mark': { color: 'var(--color-ink-3)' },
})

export const jsonStyle = HighlightStyle.define([
  { tag: tags.propertyName, class: 'cm-code-key' },
  { tag: [tags.number, tags.bool, tags.null], class: 'cm-code-number' },
  { tag: [tags.separator, tags.squareBracket, tags.brace, tags.punctuation], class: 'cm-code-mark' },
])

const MAX_SEARCH_CHARS = 1_000

export const find: Extension = [
  search({ top: true, createPanel: findPanel }),
  Prec.low(keymap.of(searchKeymap.filter(({ key }) => key !== 'Alt-g' && key !== 'Mod-Alt-g'))),
]

function findPanel(view: EditorView): Panel {
  let isCaseSensitive = false
  const field = element('input', {
    type: 'text',
    'aria-label': t('Find in text'),
    placeholder: t('Find'),
    'main-field': 'true',
    maxlength: String(MAX_SEARCH_CHARS),
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const status = element('span', { role: 'status' })
  const say = (text: string) => {
    status.textContent = text
  }
  const commit = () => {
    say('')
    view.dispatch({ effects: setSearchQuery.of(queryOf(field.value, isCaseSensitive)) })
  }
  const go = (command: (view: EditorView) => boolean) => () => {
    const isFound = getSearchQuery(view.state).valid && command(view)
    say(isFound || field.value === '' ? '' : t('Not found'))
  }
  const matchCase = button('Aa', t('Match case'), () => {
    isCaseSensitive = !isCaseSensitive
    matchCase.setAttribute('aria-pressed', String(isCaseSensitive))
    commit()
  })
  matchCase.setAttribute('aria-pressed', 'false')
  field.value = literalOf(getSearchQuery(view.state))
  field.addEventListener('input', commit)

  const dom = element('div', { class: 'cm-find', role: 'search', 'aria-label': t('Find') })
  dom.append(
    field,
    status,
    button('↑', t('Previous match'), go(findPrevious)),
    button('↓', t('Next match'), go(findNext)),
    matchCase,
    button('×', t('Close'), () => {
      closeSearchPanel(view)
      view.focus()
    }),
  )
  dom.addEventListener('keydown', (event) => {
    const isEnter = event.key === 'Enter' && event.target === field
    if (isEnter) go(event.shiftKey ? findPrevious : findNext)()
    if (isEnter || runScopeHandlers(view, event, 'search-panel')) event.preventDefault()
  })
  return { dom, top: true, mount: () => field.select() }
}

/** Searches as a pattern, a line at a time: plain search goes by characters and stalls in megabytes. */
const queryOf = (text: string, caseSensitive: boolean) =>
  new SearchQuery({ search: text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), regexp: true, caseSensitive })

const literalOf = ({ search: text, regexp }: SearchQuery) => (regexp ? text.replace(/\\(.)/g, '$1') : text)

function button(text: string, label: string, onClick: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', 'aria-label': label, title: label })
  made.textContent = text
  made.addEventListener('click', onClick)
  return made
}

function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string>,
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  return made
}
