/**
 * The rooms of the source tree and the one direction of imports between them (docs/architecture.md).
 * Run by `npm run lint:imports`. Breaches that were there when the rules came stand in dependency-baseline.json,
 * which may only become shorter.
 */

/** What each shared service may import besides the contract, the kernel and the database. */
const SERVICES = {
  chains: [],
  limits: [],
  ledger: [],
  media: [],
  shares: [],
  identity: ['limits', 'chains'],
  engines: ['media'],
  'rpc-nodes': ['chains'],
  models: ['engines', 'media'],
  usage: ['ledger', 'models'],
  documents: ['engines', 'media'],
  web: ['engines', 'documents'],
  payments: ['ledger', 'identity', 'limits', 'chains'],
  jobs: ['ledger', 'engines', 'models', 'media'],
  characters: ['models', 'media', 'limits'],
}
const OURS = '^(app|components|lib|server|scripts|sandbox)/'

const never = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })
const only = (name, from, ...allowed) =>
  never(name, `${name} imports only what stands below it.`, { path: from }, { path: OURS, pathNot: [from, ...allowed] })

module.exports = {
  forbidden: [
    never('no-cycle', 'A cycle of imports has no first file to read; types count.', {}, { circular: true }),
    only('contract', '^lib/contract/'),
    only('i18n', '^lib/i18n/'),
    only('kernel', '^lib/kernel/', '^lib/contract/'),
    only('db', '^lib/db/', '^lib/(contract|kernel)/'),
    ...Object.entries(SERVICES).map(([name, uses]) =>
      only(
        `service-${name}`,
        `^lib/services/${name}/`,
        '^lib/(contract|kernel|db)/',
        ...uses.map((used) => `^lib/services/${used}/`),
      ),
    ),
    only('pipeline', '^lib/pipeline/', '^lib/(contract|kernel|db|services)/'),
    only('endpoints', '^lib/endpoints/', '^lib/(contract|kernel|db|services|pipeline)/', '^lib/i18n/'),
    never(
      'area-knows-area',
      'What two endpoint areas need is a service.',
      { path: '^lib/endpoints/([^/]+)/' },
      { path: '^lib/endpoints/', pathNot: '^lib/endpoints/$1/' },
    ),
    only('browser', '^lib/browser/', '^lib/(contract|i18n)/'),
    only('ui', '^components/ui/', '^lib/(browser|i18n)/'),
    only('common', '^components/common/', '^components/ui/', '^lib/(browser|contract|i18n)/'),
    only('markdown', '^components/markdown/', '^components/(ui|common)/', '^lib/(browser|contract|i18n)/'),
    never(
      'feature-knows-feature',
      'Features meet in lib/browser (navigation, commands, events, registries) or in app/.',
      { path: '^components/([^/]+)/', pathNot: '^components/(ui|common|markdown)/' },
      { path: '^components/', pathNot: '^components/($1|ui|common|markdown)/' },
    ),
    never(
      'page-knows-server',
      'Pages call the API; they import nothing of the server.',
      { path: '^components/' },
      { path: '^(app|lib/(kernel|db|services|pipeline|endpoints)|server|scripts)/' },
    ),
    never(
      'screen-knows-server',
      'Screens call the API. The documentation is drawn by the server and reads endpoints/docs.',
      { path: '^app/[(]screens[)]/', pathNot: '^app/[(]screens[)]/docs/' },
      { path: '^lib/(db|services|pipeline|endpoints)/' },
    ),
    never(
      'docs-screen-knows-server',
      'The screens of the documentation ask endpoints/docs what to draw, and nothing else of the server.',
      { path: '^app/[(]screens[)]/docs/' },
      { path: '^lib/(db|services|pipeline|endpoints)/', pathNot: '^lib/endpoints/docs/' },
    ),
    never(
      'zod-in-page',
      'Schemas are 60 KB of script: the page imports types, and schemas only lazily where input is hostile.',
      { path: '^(components|lib/browser)/', pathNot: '[.](worker|lazy)[.]tsx?$' },
      { path: ['[.]schema[.]ts$', 'node_modules/zod/'], dependencyTypesNot: ['dynamic-import'] },
    ),
    never(
      'child-uses-alias',
      'Node runs these files as they stand, and knows no path alias.',
      { path: '(^lib/.*-worker|process-pool/(child|guard))[.]ts$' },
      { path: OURS, dependencyTypes: ['aliased'] },
    ),
    never(
      'product-knows-tools',
      'The product runs without its scripts and its sandbox.',
      { path: '^(server|lib|app)/' },
      { path: '^(scripts|sandbox)/' },
    ),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '[.](test|race|weights|spec)[.]|(^|/)testing(/|-|[.])|[.]gen[.]ts$' },
  },
}
