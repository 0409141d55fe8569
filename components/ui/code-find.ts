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
import { type EditorView, keymap, type Panel, runScopeHandlers } from '@codemirror/view'
import { t } from '@/lib/i18n/t'

const LONGEST_SEARCH_CHARS = 1_000

/** Ctrl or Cmd with F opens a field that finds in the text. */
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
    maxlength: String(LONGEST_SEARCH_CHARS),
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const status = element('span', { role: 'status' })
  const say = (words: string) => {
    status.textContent = words
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

/** Searched as a pattern, which looks at a line at once: plain search goes by characters and stalls in megabytes. */
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
