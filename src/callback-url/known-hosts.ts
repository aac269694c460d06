import { parse } from "tldts";

export function isFreeHosting(host: string): boolean {
  const { isPrivate, publicSuffix } = parse(host, { allowPrivateDomains: true });
  return (isPrivate === true && !isCommercialRegistry(publicSuffix ?? "")) || isBelow(freeHosts, host);
}

export function isShortener(host: string): boolean {
  return isBelow(shorteners, host);
}

/** Whether domains below this one are sold like those of a top-level domain, such as `uk.com`. */
export function isCommercialRegistry(domain: string): boolean {
  return commercialRegistries.includes(domain);
}

function isBelow(names: readonly string[], host: string): boolean {
  return names.some((name) => `.${host}`.endsWith(`.${name}`));
}

function listOf(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(" "));
}

/** In the private part of the public suffix list because domains below them are sold, not because they are free. */
const commercialRegistries = listOf(
  "ae.org africa.com br.com cn.com co.ca co.com co.cz co.dk co.nl co.no com.de com.ru com.se de.com eu.com gb.net",
  "gr.com hu.net in.net jp.net jpn.com mex.com radio.am radio.fm ru.com sa.com se.net uk.com uk.net us.com us.org",
  "za.com za.net za.org",
);

/** Free hosting, clouds, site builders and tunnels that the private part of the public suffix list does not name. */
const freeHosts = listOf(
  "000.pe 000webhostapp.com 16mb.com 42web.io 50webs.com 890m.com 96.lt adaptable.app alicloudapi.com aliyuncs.com",
  "amazonaws.com angelfire.com appdomain.cloud atspace.cc atspace.me atspace.tv atwebpages.com awardspace.com",
  "awardspace.info awardspace.net azurecontainerapps.io b-cdn.net b4a.app b4a.run back4app.io backname.io",
  "baidubce.com bcebos.com beacons.ai beam.cloud beeceptor.com begin.app bigcartel.com bio.link blogger.com",
  "blogspot.co.in blogspot.in bolt.new bore.pub bubble.io buildship.run bunny.run business.site byet.org",
  "byethost.com catalystappsail.com catalystappsail.in catalystserverless.com catalystserverless.eu",
  "catalystserverless.in cfapps.io cloud.ovh.net cloudapp.azure.com cloudshell.dev cloudwaysapps.com",
  "cloudworkstations.dev co.nf codesandbox.io contaboserver.net ct.ws cyclic.app cyclic.sh deta.app deta.dev",
  "deta.space devtunnels.ms directus.app dorik.io edgeone.app edgeone.site edgio.link epizy.com esy.es evennode.com",
  "expose.dev ezyro.com fal.run fastly.net fcapp.run fermyon.app flywheelsites.com flywheelstaging.com force.com",
  "free.nf freeservers.com fwh.is genez.io getenjoyment.net ghost.io gigalixirapp.com gitea.page github.dev",
  "gitpod.dev gitpod.io glideapp.io glitch.com glitch.me godaddysites.com googleusercontent.com gradio.live",
  "great-site.net heliohost.org hol.es hookb.in hookbin.com hookdeck.com hookdeck.events hostingersite.com hstgr.io",
  "hstn.me html-5.me iceiy.com idx.dev ifttt.com infinityfree.me infinityfreeapp.com infy.uk inlets.dev instawp.xyz",
  "integromat.com is-best.net jimdo.com jimdofree.com jimdosite.com jprq.live jprq.site kaggle.net kesug.com",
  "kinsta.app kinsta.cloud kinsta.page koyeb.app lacolhost.com layer0.link lhr.life lhr.rocks likesyou.org",
  "linktr.ee linodeusercontent.com litng.ai liveblog365.com livejournal.com loca.lt localhost.run localtest.me",
  "localtunnel.me localxpose.io loclx.io loophole.site lovable.dev lovestoblog.com lvh.me make.com medium.com",
  "mendixcloud.com mockable.io mockapi.io mockbin.io mocklab.io modal.host modal.run mooo.com my.site.com",
  "mybinder.org mybluehost.me mybluemix.net myddns.me mydurable.com myhuaweicloud.com mypressonline.com",
  "myqcloud.com mystrikingly.com n8n.cloud neocities.org netlify.live nhost.run nip.io odoo.com on.aws ondemand.com",
  "onlinewebshop.net onslate.com onslate.in openode.io openshiftapps.com packetriot.net page.link pagekite.me",
  "paperspacegradient.com pe.hu pinggy.io pinggy.link pipedream.net playit.gg plotly.app pockethost.io portmap.host",
  "portmap.io posit.cloud postb.in powerappsportals.com preview-domain.com ptsv2.com ptsv3.com putsreq.com",
  "railway.app requestbin.com requestbin.net requestcatcher.com requestinspector.com rf.gd runpod.net",
  "salesforce-sites.com scalingo.io scienceontheweb.net scw.cloud secureserver.net serveo.net serveousercontent.com",
  "sevalla.app sevalla.page sg-host.com shinyapps.io shuttleapp.rs site123.me sites.google.com smee.io softr.app",
  "sslip.io stackblitz.com stackblitz.io statichost.app strikingly.com substack.com super.site tastewp.com",
  "tcloudbase.com tcloudbaseapp.com temporary.site tencentcs.com tiiny.co tiiny.host tiiny.site totalh.net",
  "traefik.me tripod.com tumblr.com tunnelto.dev typedwebhook.tools ucoz.com ucoz.net unaux.com v0.app vcap.me",
  "vultrusercontent.com webador.com webcontainer.io webhook.cool webhook.site webhookinbox.com webhookrelay.com",
  "webnode.com webnode.page webstarts.com weebly.com weeblysite.com wiremockapi.cloud withporter.run wix.com",
  "wordpress.com wpcomstaging.com wpengine.com wuaze.com x10.mx x10host.com xano.io xip.io ydns.eu your-server.de",
  "zapier.com zeet.app zohosites.com zohosites.in zrok.io zyrosite.com",
);

const shorteners = listOf(
  "adf.ly adfoc.us aka.ms amzn.to app.link b.link bc.vc bit.do bit.ly bitly.com bl.ink buff.ly chilp.it clck.ru",
  "cli.re clicky.me cutt.it cutt.ly cutt.us da.gd db.tt dlvr.it dub.co dub.sh fb.me flip.it g.co gg.gg git.io",
  "goo.gl goo.su hubs.ly ift.tt is.gd j.mp kutt.it lnkd.in mcaf.ee msft.it n9.cl ouo.io ow.ly po.st polr.me q.gs",
  "qr.ae qrco.de rb.gy rebrand.ly rebrandly.com rotf.lol s.id sh.st short.gy short.io shorte.st shorturl.asia",
  "shorturl.at shorturl.com shrtco.de smarturl.it snip.ly soo.gd spoo.me su.pr surl.li t.co t.ly t2m.io tinu.be",
  "tiny.cc tiny.one tiny.pl tinyurl.co tinyurl.com tny.im tr.im trib.al u.to ulvis.net urlz.fr v.gd vk.cc wp.me",
  "x.co youtu.be zpr.io",
);
