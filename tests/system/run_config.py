"""Configurations of `tickpath run` for system tests, from a few words. Files are named relative to the configuration."""
import os

import harness

DEMO_DESCRIPTION = os.path.join(harness.ROOT, "templates/feeds/demo.xml")


def text(device, *, pace="max", port_attributes="", feed=f'description="{DEMO_DESCRIPTION}"', instruments="instruments.csv",
         layout="inline", trade=""):
    return f"""<tickpath>
  <port name="feed" device="{device}" pace="{pace}" {port_attributes}/>
  <feed {feed} port="feed"/>
  <instruments file="{instruments}"/>
  <workers layout="{layout}" idle="yield"/>
  {trade}
</tickpath>
"""


def trade(port, *, armed="yes", order_link="kernel", when="valid", strategy='name="hit-quote" sell_at="100.00" buy_at="99.99" quantity_max="20"',
          risk='orders_per_second="0"', session="", order_template=""):
    """A <trade> element with a session to 127.0.0.1:`port`."""
    fields = f'order_template="{order_template}"' if order_template else ""
    return f"""<trade armed="{armed}" order_link="{order_link}" trade_when="{when}" {fields}>
    <strategy {strategy}/>
    <risk {risk}/>
    <session sender="TICKPATH" target="EXCHANGE" port="{port}" store="store" reconnect_ms_first="50" {session}/>
  </trade>"""

