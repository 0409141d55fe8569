export const DUCKDUCKGO_PAGE = `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<!--[if gt IE 8]><!--><html xmlns="http://www.w3.org/1999/xhtml"><!--<![endif]-->
<head>
  <meta http-equiv="content-type" content="text/html; charset=UTF-8" />
  <meta name="referrer" content="origin" />
  <meta name="robots" content="noindex, nofollow" />
  <title>tides at DuckDuckGo</title>
</head>
<body class="body--html">
  <a name="top" id="top"></a>
  <form action="/html/" method="post">
    <input type="text" name="state_hidden" id="state_hidden" />
  </form>
  <div>
    <div class="site-wrapper-border"></div>
    <div id="header" class="header cw header--html">
      <a title="DuckDuckGo" href="/html/" class="header__logo-wrap"></a>
      <form name="x" class="header__form" action="/html/" method="post">
        <div class="search search--header">
          <input name="q" autocomplete="off" class="search__input" id="search_form_input_homepage" type="text" value="tides" />
          <input name="b" id="search_button_homepage" class="search__button search__button--html" value="" title="Search" alt="Search" type="submit" />
        </div>
        <div class="frm__select"><select name="kl"><option value="" >All Regions</option><option value="us-en" >US (English)</option></select></div>
      </form>
    </div>
    <!-- Web results are present -->
    <div>
    <div class="serp__results">
    <div id="links" class="results">

      <div class="result results_links results_links_deep result--ad result--ad--small">
        <div class="links_main links_deep result__body">
          <h2 class="result__title">
            <a rel="nofollow" class="result__a" href="https://duckduckgo.com/y.js?ad_domain=boats.example&amp;ad_provider=bingv7aa&amp;ad_type=txad&amp;u3=https%3A%2F%2Fwww.bing.com%2Faclick">Boats for sale</a>
          </h2>
          <button class="badge--ad">Ad</button>
          <a class="result__snippet" href="https://duckduckgo.com/y.js?ad_domain=boats.example">Cheap boats for every <b>tide</b>.</a>
        </div>
      </div>

      <div class="result results_links results_links_deep web-result ">
        <div class="links_main links_deep result__body"> <!-- This is the visible part -->
          <h2 class="result__title">
            <a rel="nofollow" class="result__a" href="https://ocean.example/tides">Tides &amp; water levels | Ocean Example</a>
          </h2>
          <div class="result__extras">
            <div class="result__extras__url">
              <span class="result__icon">
                <a rel="nofollow" href="https://ocean.example/tides"><img class="result__icon__img" width="16" height="16" alt="" src="//external-content.duckduckgo.com/ip3/ocean.example.ico" name="i15" /></a>
              </span>
              <a class="result__url" href="https://ocean.example/tides">ocean.example/tides</a>
              <span>&nbsp; &nbsp; 2025-12-30T00:00:00.0000000</span>
            </div>
          </div>
          <a class="result__snippet" href="https://ocean.example/tides"><b>Tides</b> rise and fall twice a day because the Moon&#x27;s pull is stronger on the near side of the Earth.</a>
          <div class="clear"></div>
        </div>
      </div>

      <div class="result results_links results_links_deep web-result ">
        <div class="links_main links_deep result__body">
          <h2 class="result__title">
            <a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fharbour.example%2Ftable%3Fport%3D7%26year%3D2026&amp;rut=4f6e1c">Tide table of the harbour</a>
          </h2>
          <div class="result__extras">
            <div class="result__extras__url">
              <a class="result__url" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fharbour.example%2Ftable">harbour.example/table</a>
            </div>
          </div>
          <a class="result__snippet" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fharbour.example%2Ftable">High water at 06:12 and 18:40, low water at 00:03 and 12:25.</a>
          <div class="clear"></div>
        </div>
      </div>

      <div class="result results_links results_links_deep web-result ">
        <div class="links_main links_deep result__body">
          <h2 class="result__title">
            <a rel="nofollow" class="result__a" href="https://www.ocean.example/tides/">Tides, once more</a>
          </h2>
          <a class="result__snippet" href="https://www.ocean.example/tides/">The same page under another address.</a>
          <div class="clear"></div>
        </div>
      </div>

      <div class="result results_links results_links_deep web-result ">
        <div class="links_main links_deep result__body">
          <h2 class="result__title">
            <a rel="nofollow" class="result__a" href="https://school.example/ebb">Ebb and flow for schools</a>
          </h2>
          <div class="clear"></div>
        </div>
      </div>

      <div class="nav-link">
        <form action="/html/" method="post">
          <input type="submit" class="btn btn--alt" value="Next" />
          <input type="hidden" name="q" value="tides" />
          <input type="hidden" name="s" value="10" />
          <input type="hidden" name="vqd" value="4-1" />
        </form>
      </div>
    </div>
    </div>
    </div>
  </div>
</body>
</html>
`

export const DUCKDUCKGO_NOTHING = `<!DOCTYPE html><html><head><title>qqxxzz at DuckDuckGo</title></head><body class="body--html">
<div class="serp__results"><div id="links" class="results">
  <div class="result results_links results_links_deep web-result result--no-result">
    <div class="links_main links_deep result__body">
      <div class="no-results__container result__title">
        <span class="no-results"><div class="no-results__message"><h1>No results found for <b>qqxxzz</b>.</h1></div></span>
      </div>
    </div>
  </div>
</div></div></body></html>`

/** The check for robots, which comes with status 202 and has come with 200. */
export const DUCKDUCKGO_CHECK = `<!DOCTYPE html><html><head><title>DuckDuckGo</title></head><body class="body--html">
<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html&cc=botnet" method="POST">
  <div class="anomaly-modal__mask"><div class="anomaly-modal__modal">
    <div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>
    <div class="anomaly-modal__description">Please complete the following challenge to confirm this search was made by a human.</div>
    <img class="anomaly-modal__image" src="../assets/anomaly/images/challenge/1.jpg" />
  </div></div>
</form></body></html>`
